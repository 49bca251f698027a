/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FILTER_H
#define KT_FILTER_H

#include <linux/sched/signal.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "compat/uprobe.h"
#include "session.h"

struct inode;
struct mm_struct;

void kt_filter_exit(void);

/* What a task must be, beside its process; replaced as a whole. */
struct kt_conditions {
	struct rcu_head rcu;
	struct pid *tids[KTRACE_MAX_PIDS];	/* none: any; so for all below */
	u32 nr_tids;
	kuid_t uids[KTRACE_MAX_PIDS];
	u32 nr_uids;
	char comm[TASK_COMM_LEN];
	u64 cgroup;
};

#define KT_GIVEN_TIDS	1
#define KT_GIVEN_UIDS	2
#define KT_GIVEN_COMM	4
#define KT_GIVEN_CGROUP	8

struct kt_conditions *kt_conditions_create(void);	/* process context; NULL: no memory */
/* The conditions of before, with those that are given; from NULL: none. */
struct kt_conditions *kt_conditions_replace(const struct kt_conditions *from,
					    const struct kt_conditions *by, u32 given);
void kt_conditions_free(struct kt_conditions *conditions);
bool kt_conditions_are_none(const struct kt_conditions *conditions);

/* Grows whenever a process that was wanted may not be any more. */
extern u32 kt_filter_nr_changes;
void kt_filter_changed(void);	/* process context, preemption maybe off */

/* Does the session want a task, of this process? Any context; it has not been released. */
bool kt_filter_task_slow(const struct kt_session *session, struct task_struct *task,
			 const struct pid *tgid);

/* True: it is wanted. Any context. */
static __always_inline bool kt_filter_has_seen(const struct kt_session_cpu *cpu,
					       const struct pid *tgid)
{
	return cpu->seen.tgid == tgid &&
	       cpu->seen.nr_changes == READ_ONCE(kt_filter_nr_changes);
}

/*
 * A tgid that was wanted stays so until something changes: a CPU remembers the
 * last one.
 */
static __always_inline bool kt_filter_that_on(const struct kt_session *session,
					      const struct kt_session_cpu *cpu,
					      struct task_struct *task)
{
	const struct pid *tgid = task_tgid(task);

	return likely(kt_filter_has_seen(cpu, tgid)) || kt_filter_task_slow(session, task, tgid);
}

/* The current one. */
static __always_inline bool kt_filter_task_on(const struct kt_session *session,
					      const struct kt_session_cpu *cpu)
{
	return kt_filter_that_on(session, cpu, current);
}

static __always_inline bool kt_filter_task(const struct kt_session *session)
{
	return kt_filter_task_on(session, raw_cpu_ptr(session->hot.cpu));
}

/*
 * Does it want breakpoints in mm? Only where the inode beside is mapped too, unless NULL.
 * With beside only in a consumer's filter: see kt_filter_holds_mmap_lock().
 */
bool kt_filter_mm(const struct kt_session *session, struct mm_struct *mm, struct inode *beside);

/* The current process is one of ours, never to be traced. Process context. */
int kt_filter_own_current(void);

#endif
