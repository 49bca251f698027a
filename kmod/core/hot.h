/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HOT_H
#define KT_HOT_H

#include <linux/types.h>

#include <uapi/ktrace.h>

#include "core/caller.h"

struct inode;
struct kt_batch;
struct kt_conditions;
struct kt_hist;
struct kt_ring;
struct kt_stack;
struct kt_stacks;
struct kt_table;
struct kt_tree;

#define KT_HIT_SAMPLE_EVERY 64	/* hits, for one whose own cost is measured */

enum kt_cost { KT_COST_ENTRY, KT_COST_RETURN, KT_COST_STEPPED, KT_NR_COSTS };

/* The process that a CPU last found wanted. */
struct kt_filter_cache {
	const struct pid *tgid;
	u32 nr_changes;		/* of the list of own processes by then */
};

/* What one CPU counts and keeps for a session; written on that CPU only. */
struct kt_session_cpu {
	struct ktrace_counters counters;
	struct kt_hist **hist;		/* [nr_funcs], of the session's figures */
	struct kt_stack *stack;		/* the last one seen, or an empty one: checked before use */
	struct kt_filter_cache seen;
	struct kt_caller_cache callers;
	u64 own[2];			/* ns that a hit takes here: not of a return, of a return */
	u64 after[KT_NR_COSTS];		/* ... and that it costs the program */
	u64 next_sample;		/* of hits: the one whose cost is measured */
	u64 cut;			/* ticks; of sched.c: who runs here is counted so far, */
	u64 ended;			/* and told of, as the session ends */
};

/* Flags that a plain entry has none of: on what is shown, on what is a call. */
#define KT_FUNC_PLACED (KTRACE_FUNC_BELOW | KTRACE_FUNC_NOT_BELOW | KTRACE_FUNC_HIDDEN | \
			KTRACE_FUNC_LOOP | KTRACE_FUNC_JUMPS)

/* What the hit needs to know of a function. */
struct kt_func {
	struct ktrace_func desc;
	const struct inode *file;	/* of a user function: its own; not referenced */
	bool is_told;			/* of a kernel function: its number is taken */
	bool has_number;		/* of a kernel function: its result is a number */
	bool has_args;			/* some of desc's are not KTRACE_VALUE_NONE */
	int error;			/* negative errno: could not be probed */
	u64 since;			/* of KTRACE_RETURN_UNSEEN: when it was entered last, ns */
	bool is_leaving;		/* staged, as is_returning is; kt_control */
	bool is_returning;
	bool is_gone;			/* out of the session */
	const struct kt_batch *batch;	/* told of it; NULL: not told of */
};

/*
 * What a hit reads of a session, side by side. It is part of struct kt_session and not behind a
 * pointer: a hit would pay for one more load. What may change while hits run is written with
 * WRITE_ONCE(), under kt_control.
 */
struct kt_hot {
	struct kt_session_cpu __percpu *cpu;
	struct kt_func *funcs;		/* [nr_funcs] */
	struct kt_tree *tree;		/* of the figures of now, or NULL; so is table */
	struct kt_table *table;
	struct kt_ring *ring;		/* or NULL */
	struct kt_stacks *stacks;	/* where the provider has some; or NULL */
	u64 min_time;			/* ns */
	u32 sinks;			/* KTRACE_SINK_*, as configured ... */
	u32 flags;			/* ... and KTRACE_F_* */
	u32 max_depth;
	bool is_plain;			/* every call is kept, none is streamed, no error counts */
	bool is_on_kernel_stack;	/* as its provider */
	u16 base_depth;			/* of calls outside of all frames: KT_DEPTH_OUTSIDE, or 0 */
	u64 counts_from;		/* calls that began earlier are none of it, ticks */
	u64 least;			/* ns: what is shorter does not count; 0 with a ring */
	u64 narrowed;			/* when somebody was last sent away, ns */
	s64 stepped_more;		/* ns that an entry costs more if it is stepped, and ... */
	s64 shared_more;		/* ... less, so below 0, where an exit shares its trap */
	struct kt_conditions __rcu *conditions;	/* NULL: none; changed under kt_control */
	bool has_more;			/* than histograms */
};

#endif
