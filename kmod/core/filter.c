// SPDX-License-Identifier: GPL-2.0
/*
 * The tasks that a session traces: the tasks of its processes (procs.c) that meet its conditions.
 * Processes that talk to the module are never traced, since the command line maps libc like any
 * other program.
 */
#include <linux/cred.h>
#include <linux/err.h>
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <linux/string.h>
#include <linux/uidgid.h>

#include "compat/cgroup.h"
#include "compat/mm.h"
#include "compat/uprobe.h"
#include "core/caller.h"
#include "core/filter.h"
#include "core/session.h"
#include "lib/mem.h"

struct own {
	struct list_head node;
	struct pid *tgid;
	struct rcu_head rcu;
};

static LIST_HEAD(owns);			/* readers RCU */
static DEFINE_SPINLOCK(owns_lock);	/* guards changes of owns and their count */
u32 kt_filter_nr_changes = 1;

static void filter_own_free(struct rcu_head *rcu)
{
	struct own *own = container_of(rcu, struct own, rcu);

	put_pid(own->tgid);
	kfree(own);
}

static bool filter_is_own(const struct pid *tgid)
{
	struct own *own;

	list_for_each_entry_rcu(own, &owns, node)
		if (own->tgid == tgid)
			return true;
	return false;
}

/* Removes processes that have ended from the list. The caller holds owns_lock and RCU. */
static void filter_forget_gone(void)
{
	struct own *own, *next;

	list_for_each_entry_safe(own, next, &owns, node) {
		if (pid_task(own->tgid, PIDTYPE_PID))
			continue;
		list_del_rcu(&own->node);
		call_rcu(&own->rcu, filter_own_free);
	}
}

int kt_filter_own_current(void)
{
	struct own *own;
	bool is_known;

	rcu_read_lock();
	is_known = filter_is_own(task_tgid(current));
	rcu_read_unlock();
	if (is_known)
		return 0;
	own = kmalloc(sizeof(*own), GFP_KERNEL);
	if (!own)
		return -ENOMEM;
	own->tgid = get_pid(task_tgid(current));
	spin_lock(&owns_lock);
	rcu_read_lock();
	filter_forget_gone();
	rcu_read_unlock();
	list_add_rcu(&own->node, &owns);
	WRITE_ONCE(kt_filter_nr_changes, kt_filter_nr_changes + 1);
	spin_unlock(&owns_lock);
	return 0;
}

void kt_filter_exit(void)
{
	struct own *own, *next;

	list_for_each_entry_safe(own, next, &owns, node) {
		list_del_rcu(&own->node);
		call_rcu(&own->rcu, filter_own_free);
	}
	rcu_barrier();
}

void kt_filter_changed(void)
{
	spin_lock(&owns_lock);
	WRITE_ONCE(kt_filter_nr_changes, kt_filter_nr_changes + 1);
	spin_unlock(&owns_lock);
}

/* --- conditions ---------------------------------------------------------- */

struct kt_conditions *kt_conditions_create(void)
{
	return kt_mem_alloc(sizeof(struct kt_conditions));
}

static void filter_replace(struct kt_conditions *c, const struct kt_conditions *by, u32 given)
{
	if (given & KT_GIVEN_TIDS) {
		memcpy(c->tids, by->tids, sizeof(c->tids));
		c->nr_tids = by->nr_tids;
	}
	if (given & KT_GIVEN_UIDS) {
		memcpy(c->uids, by->uids, sizeof(c->uids));
		c->nr_uids = by->nr_uids;
	}
	if (given & KT_GIVEN_COMM)
		memcpy(c->comm, by->comm, sizeof(c->comm));
	if (given & KT_GIVEN_CGROUP)
		c->cgroup = by->cgroup;
}

struct kt_conditions *kt_conditions_replace(const struct kt_conditions *from,
					    const struct kt_conditions *by, u32 given)
{
	struct kt_conditions *to = kt_conditions_create();
	u32 i;

	if (!to)
		return NULL;
	if (from)
		*to = *from;
	filter_replace(to, by, given);
	for (i = 0; i < to->nr_tids; i++)
		get_pid(to->tids[i]);
	return to;
}

void kt_conditions_free(struct kt_conditions *conditions)
{
	if (!conditions)
		return;
	while (conditions->nr_tids)
		put_pid(conditions->tids[--conditions->nr_tids]);
	kt_mem_free(conditions, sizeof(*conditions));
}

bool kt_conditions_are_none(const struct kt_conditions *c)
{
	return !c->nr_tids && !c->nr_uids && !c->comm[0] && !c->cgroup;
}

static bool filter_is_tid_wanted(const struct kt_conditions *c, struct task_struct *task)
{
	u32 i;

	for (i = 0; i < c->nr_tids; i++)
		if (c->tids[i] == task_pid(task))
			return true;
	return !c->nr_tids;
}

static bool filter_is_uid_wanted(const struct kt_conditions *c, struct task_struct *task)
{
	kuid_t uid = task_uid(task);
	u32 i;

	for (i = 0; i < c->nr_uids; i++)
		if (uid_eq(c->uids[i], uid))
			return true;
	return !c->nr_uids;
}

/* comm is a name, or the beginning of names: "redis*". */
static bool filter_is_comm_wanted(const struct kt_conditions *c, struct task_struct *task)
{
	size_t len = strcspn(c->comm, "*");

	return c->comm[len] ? !strncmp(task->comm, c->comm, len) :
	       !len || !strncmp(task->comm, c->comm, TASK_COMM_LEN);
}

static bool filter_meets(const struct kt_conditions *c, struct task_struct *task)
{
	return filter_is_tid_wanted(c, task) && filter_is_uid_wanted(c, task) &&
	       filter_is_comm_wanted(c, task) &&
	       (!c->cgroup || kt_task_is_in_cgroup(task, c->cgroup));
}

/* --- tasks and processes ------------------------------------------------- */

static bool filter_wants_tgid(const struct kt_session *session, const struct pid *tgid)
{
	return kt_procs_wants(&session->procs, tgid) && !filter_is_own(tgid);
}

/* A result that depends on conditions is not cached: a task may meet them later, or no more. */
bool kt_filter_task_slow(const struct kt_session *session, struct task_struct *task,
			 const struct pid *tgid)
{
	const struct kt_conditions *conditions;
	struct kt_filter_cache *seen;
	u32 changes = READ_ONCE(kt_filter_nr_changes);
	bool wants;

	rcu_read_lock();
	wants = filter_wants_tgid(session, tgid);
	conditions = rcu_dereference(session->hot.conditions);
	if (wants && conditions) {
		wants = filter_meets(conditions, task);
		rcu_read_unlock();
		return wants;
	}
	rcu_read_unlock();
	if (wants) {
		seen = &get_cpu_ptr(session->hot.cpu)->seen;
		seen->tgid = tgid;
		seen->nr_changes = changes;
		put_cpu_ptr(session->hot.cpu);
	}
	return wants;
}

/*
 * A process that is being forked may not be listed yet, since its memory is made before its pid.
 * If the session follows children, it counts as wanted while it has no pid, and then if its parent
 * is wanted. If this turns out wrong, the process removes the breakpoint when it hits it.
 */
static bool filter_wants_owner(const struct kt_session *session, struct task_struct *owner)
{
	const struct pid *tgid = task_tgid(owner);

	if (filter_wants_tgid(session, tgid))
		return true;
	if (!session->procs.does_follow || !(owner->flags & PF_FORKNOEXEC))
		return false;
	return !tgid || filter_wants_tgid(session, task_tgid(rcu_dereference(owner->real_parent)));
}

/*
 * If only some threads are traced, only their processes can ever be: a thread keeps its memory
 * until it executes another program. User, name and cgroup of a task may change at any time.
 */
static bool filter_has_wanted_thread(const struct kt_conditions *c, const struct mm_struct *mm)
{
	const struct task_struct *task;
	u32 i;

	for (i = 0; c && i < c->nr_tids; i++) {
		task = pid_task(c->tids[i], PIDTYPE_PID);
		if (task && READ_ONCE(task->mm) == mm)
			return true;
	}
	return !c || !c->nr_tids;
}

bool kt_filter_mm(const struct kt_session *session, struct mm_struct *mm, struct inode *beside)
{
	struct task_struct *owner;
	bool wants;

	rcu_read_lock();
	owner = kt_mm_owner(mm);
	/* If the owner is not known, a breakpoint is planted, and its hits look at their task. */
	wants = IS_ERR(owner) ||
		(owner && filter_wants_owner(session, owner) &&
		 filter_has_wanted_thread(rcu_dereference(session->hot.conditions), mm));
	rcu_read_unlock();
	if (!wants || !beside || session->procs.is_selective)
		return wants;
	if (kt_filter_holds_mmap_lock(mm))
		return kt_caller_maps(mm, beside);
	/*
	 * Waiting for the lock here would invert the lock order. If a breakpoint stays without
	 * need, its next hit checks again.
	 */
	if (!mmap_read_trylock(mm))
		return true;
	wants = kt_caller_maps(mm, beside);
	mmap_read_unlock(mm);
	return wants;
}
