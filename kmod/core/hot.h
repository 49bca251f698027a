/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HOT_H
#define KT_HOT_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct inode;
struct kt_batch;
struct kt_conditions;
struct kt_hist;
struct kt_ring;
struct kt_shadow;
struct kt_stacks;
struct kt_table;
struct kt_tree;
struct kt_trigger;

#define KT_HIT_SAMPLE_EVERY 64	/* hits: the cost of one is measured; hit.c has its own number */

enum kt_cost { KT_COST_ENTRY, KT_COST_RETURN, KT_COST_STEPPED, KT_NR_COSTS };

/* The process that a CPU last found wanted. */
struct kt_filter_cache {
	const struct pid *tgid;
	u32 nr_changes;		/* kt_filter_nr_changes at that time */
};

/* The last answers of caller.c on one CPU. */
struct kt_caller_cache {
	/* The last mapping of a caller outside [0] and inside [1] of the file in question. */
	struct kt_caller_range {
		const struct inode *inode;	/* mapped there; compared only */
		u64 mm_id, stamp;	/* identify the mm and its mappings */
		unsigned long start, end;
	} range[2];
	/* The last mm that was searched for the session's file. */
	u64 mm_id, stamp;
	bool has_file;
};

/* What one CPU counts and keeps for a session; written on that CPU only. */
struct kt_session_cpu {
	struct ktrace_counters counters;
	struct kt_hist **hist;		/* [nr_funcs], a part of the session's figures */
	struct kt_shadow *stack;		/* the last one used here, or an empty one */
	struct kt_filter_cache seen;
	struct kt_caller_cache callers;
	u64 own[2];			/* ns of the module's part of an entry [0], a return [1] */
	u64 after[KT_NR_COSTS];		/* ns of a whole hit, the kernel's part included */
	u64 next_sample;		/* number of the next hit whose cost is measured */
	u64 sampled;			/* hits whose cost is in counters.cost_ns */
	u64 cut;			/* ticks; sched.c: the running task is counted so far */
	u64 ended;			/* ticks; sched.c: the end of the session on this CPU */
};

/* A plain entry has none of these flags, which change what is shown or what is a call. */
#define KT_FUNC_PLACED (KTRACE_FUNC_BELOW | KTRACE_FUNC_NOT_BELOW | KTRACE_FUNC_HIDDEN | \
			KTRACE_FUNC_LOOP | KTRACE_FUNC_JUMPS)

/* The data of a function that a hit needs. */
struct kt_func {
	struct ktrace_func desc;
	const struct inode *file;	/* user functions: the file; not referenced */
	bool is_told;			/* kernel functions: this number is in use */
	bool has_number;		/* kernel functions: the result is a number */
	bool has_args;			/* an argument is not KTRACE_VALUE_NONE */
	int error;			/* negative errno if it could not be probed */
	u64 since;			/* KTRACE_RETURN_UNSEEN: the last entry, ns */
	bool is_leaving;		/* staged removal; kt_control */
	bool is_returning;		/* staged return to the session; kt_control */
	bool is_gone;			/* removed from the session */
	bool is_committed;		/* user functions: no longer only staged */
	const struct kt_batch *batch;	/* the batch that added it; or NULL */
};

/*
 * The members of a session that a hit reads, side by side. The struct is embedded in struct
 * kt_session, because a pointer would cost each hit one more load. Members that may change while
 * hits run are written with WRITE_ONCE(), under kt_control.
 */
struct kt_hot {
	struct kt_session_cpu __percpu *cpu;
	struct kt_func *funcs;		/* [nr_funcs] */
	struct kt_tree *tree;		/* of the current figures, or NULL */
	struct kt_table *table;		/* of the current figures, or NULL */
	struct kt_ring *ring;		/* or NULL */
	struct kt_trigger *trigger;	/* or NULL; only with a ring */
	struct kt_stacks *stacks;	/* or NULL */
	u64 min_time;			/* ns */
	u32 sinks;			/* KTRACE_SINK_*, as configured */
	u32 flags;			/* KTRACE_F_*, as configured */
	u32 max_depth;
	bool is_plain;			/* no stream, table, minimum time, or KTRACE_F_ERRORS */
	bool is_on_kernel_stack;	/* copied from the provider */
	u16 base_depth;			/* of a call without a parent: KT_DEPTH_OUTSIDE, or 0 */
	u64 counts_from;		/* ticks; calls that began earlier do not count */
	u64 least;			/* ns; shorter calls do not count; 0 with a ring */
	u64 narrowed;			/* ns; when a change last excluded tasks */
	s64 stepped_more;		/* ns; extra cost of an entry that is single-stepped */
	s64 shared_more;		/* ns; negative: an exit shares the trap of its entry */
	struct kt_conditions __rcu *conditions;	/* or NULL; changed under kt_control */
	bool is_planting;		/* some entries are not set yet, whose exits are */
	bool has_odd_records;		/* KTRACE_F_NO_ENTRIES, or a trigger */
	bool has_more;			/* has sinks other than histograms, or flags */
};

#endif
