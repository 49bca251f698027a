/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PROCS_H
#define KT_PROCS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct pid;

#define KT_PROCS_ORDER 10

/* The processes that a session lists: to trace, or not to trace. */
struct kt_procs {
	spinlock_t lock;	/* guards changes of heads, and execs; also taken at a fork */
	struct hlist_head heads[1 << KT_PROCS_ORDER];	/* readers RCU */
	struct list_head execs;	/* processes whose exec is not reported yet, in order */
	bool is_selective;	/* a process that is not listed is not traced */
	bool does_follow;	/* children are traced like their parents */
	u32 nr_left;		/* processes to trace that have not ended; the lock */
	u64 ended_at;		/* CLOCK_MONOTONIC, ns: when nr_left became 0; the lock */
};

/* The processes that are traced now, and when the last one ended, or 0. */
struct kt_procs_left {
	u32 nr;
	u64 ended_at;
};

void kt_procs_init(struct kt_procs *procs, bool is_selective, bool does_follow);
void kt_procs_exit(struct kt_procs *procs);

/* Is process tgid to be traced? The caller holds rcu_read_lock(). */
bool kt_procs_wants(const struct kt_procs *procs, const struct pid *tgid);

/*
 * Allocates spares for nr processes, so that kt_procs_set() cannot fail. kt_procs_unreserve() frees
 * the spares that are left. Any context but NMI and interrupts, with a gfp that fits it. Returns 0
 * or -ENOMEM.
 */
int kt_procs_reserve(struct hlist_head *spares, u32 nr, gfp_t gfp);
void kt_procs_set(struct kt_procs *procs, struct pid *tgid, bool is_wanted,
		  struct hlist_head *spares);
void kt_procs_unreserve(struct hlist_head *spares);
/*
 * Stores the numbers of up to max processes to trace, in the pid namespace of current. Returns how
 * many.
 */
u32 kt_procs_list(const struct kt_procs *procs, s32 *pids, u32 max);
/* Process context. */
struct kt_procs_left kt_procs_left(struct kt_procs *procs);
/*
 * At a fork, in the parent. Returns 1 if the child was listed like its parent, 0 if it need not be
 * listed, or -ENOMEM.
 */
int kt_procs_inherit(struct kt_procs *procs, const struct pid *parent, struct pid *child);
/* A listed process is not traced before it executes a program. */
void kt_procs_wait_for_exec(struct kt_procs *procs, const struct pid *tgid);
/* Returns true if tgid has waited for its exec: it is traced from now on. */
bool kt_procs_begin(struct kt_procs *procs, const struct pid *tgid);
/* Marks a listed process that executes a program. Any context but NMI and interrupts. */
void kt_procs_exec(struct kt_procs *procs, const struct pid *tgid);
/* Returns a marked process, each once, with a reference; or NULL. */
struct pid *kt_procs_next_exec(struct kt_procs *procs);
/*
 * No thread of process tgid runs its program any more. is_last: no other thread of it is still
 * exiting. Returns true if a process was removed from the list.
 */
bool kt_procs_ended(struct kt_procs *procs, const struct pid *tgid, bool is_last);
/*
 * Ends listed processes that had ended before the session was told of ends of processes, or before
 * they were listed. Process context.
 */
void kt_procs_end_dead(struct kt_procs *procs);

#endif
