/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PROCS_H
#define KT_PROCS_H

#include <linux/list.h>
#include <linux/spinlock.h>
#include <linux/types.h>

struct pid;

#define KT_PROCS_ORDER 5

/* Processes that a session was told of: those to trace, and those not to. */
struct kt_procs {
	spinlock_t lock;	/* guards changes of heads; may be held by a task that forks */
	struct hlist_head heads[1 << KT_PROCS_ORDER];	/* readers RCU */
	bool is_selective;	/* who is not in it is not traced */
	bool does_follow;	/* children are what their parents are */
};

void kt_procs_init(struct kt_procs *procs, bool is_selective, bool does_follow);
void kt_procs_exit(struct kt_procs *procs);

/* May it be traced? Under rcu_read_lock(). */
bool kt_procs_wants(const struct kt_procs *procs, const struct pid *tgid);

/*
 * Memory for nr processes, so that setting them cannot fail; what is not needed is given
 * back. Any context but NMI and interrupts, with gfp to fit; 0 or -ENOMEM.
 */
int kt_procs_reserve(struct hlist_head *spares, u32 nr, gfp_t gfp);
void kt_procs_set(struct kt_procs *procs, struct pid *tgid, bool is_wanted,
		  struct hlist_head *spares);
void kt_procs_unreserve(struct hlist_head *spares);
/* The wanted ones' numbers in the pid namespace of current, as many as there is room for. */
u32 kt_procs_list(const struct kt_procs *procs, s32 *pids, u32 max);
/* At a fork, in the parent; 0, -ENOMEM, or 1: the child is entered as its parent is. */
int kt_procs_inherit(struct kt_procs *procs, const struct pid *parent, struct pid *child);
/* One that is set is not wanted before it executes a program; true: it does so now. */
void kt_procs_wait_for_exec(struct kt_procs *procs, const struct pid *tgid);
bool kt_procs_begin(struct kt_procs *procs, const struct pid *tgid);
/* It runs another program now, which is told of later. Any context but NMI and interrupts. */
void kt_procs_exec(struct kt_procs *procs, const struct pid *tgid);
/* One that does, each once; referenced. NULL: none. */
struct pid *kt_procs_next_exec(struct kt_procs *procs);
/*
 * No thread of the process will run its program any more; the last one has had its exit, or
 * some have not. True: a process is no longer among them.
 */
bool kt_procs_ended(struct kt_procs *procs, const struct pid *tgid, bool is_last);

#endif
