/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FILTER_H
#define KT_FILTER_H

#include <linux/sched/signal.h>
#include <linux/types.h>
#include <linux/uidgid.h>

#include "compat/uprobe.h"
#include "core/session.h"

struct inode;
struct mm_struct;

void kt_filter_exit(void);

/* Conditions for a task, apart from its process. A change replaces the whole struct. */
struct kt_conditions {
	struct rcu_head rcu;
	struct pid *tids[KTRACE_MAX_PIDS];	/* an empty condition, here or below, matches all */
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

/* Process context. Returns NULL if there is no memory. */
struct kt_conditions *kt_conditions_create(void);
/*
 * Returns a copy of from in which the conditions given (KT_GIVEN_*) are those of by. from may be
 * NULL. Process context. Returns NULL if there is no memory.
 */
struct kt_conditions *kt_conditions_replace(const struct kt_conditions *from,
					    const struct kt_conditions *by, u32 given);
void kt_conditions_free(struct kt_conditions *conditions);
bool kt_conditions_are_none(const struct kt_conditions *conditions);

/* Incremented when a process that was wanted may not be wanted any more. */
extern u32 kt_filter_nr_changes;
void kt_filter_changed(void);	/* process context, preemption may be off */

/* Does the session trace task, of process tgid? Any context; task has not been released. */
bool kt_filter_task_slow(const struct kt_session *session, struct task_struct *task,
			 const struct pid *tgid);

/* Returns true if this CPU has found tgid wanted, and nothing has changed since. Any context. */
static __always_inline bool kt_filter_has_seen(const struct kt_session_cpu *cpu,
					       const struct pid *tgid)
{
	return cpu->seen.tgid == tgid &&
	       cpu->seen.nr_changes == READ_ONCE(kt_filter_nr_changes);
}

/* Does the session trace task? cpu is the data of this CPU, which caches the last wanted tgid. */
static __always_inline bool kt_filter_that_on(const struct kt_session *session,
					      const struct kt_session_cpu *cpu,
					      struct task_struct *task)
{
	const struct pid *tgid = task_tgid(task);

	return likely(kt_filter_has_seen(cpu, tgid)) || kt_filter_task_slow(session, task, tgid);
}

/* The same for current. */
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
 * Does the session need breakpoints in mm? If beside is not NULL and the session has no list of
 * processes, mm must map this inode, too. With beside, the caller is the filter of a uprobe
 * consumer: see kt_filter_holds_mmap_lock().
 */
bool kt_filter_mm(const struct kt_session *session, struct mm_struct *mm, struct inode *beside);

/*
 * The current process talks to the module: no session traces it from now on. Process context.
 * Returns 0 or -ENOMEM.
 */
int kt_filter_own_current(void);

#endif
