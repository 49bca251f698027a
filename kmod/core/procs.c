// SPDX-License-Identifier: GPL-2.0
/*
 * The processes of a session: the processes named when it was made or changed, and their children.
 * Each entry holds its struct pid until the process ends, so that no other process can have the
 * same struct pid.
 */
#include <linux/hash.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>

#include "core/procs.h"
#include "lib/clock.h"

struct proc {
	struct hlist_node node;
	struct list_head exec;	/* in execs, if an exec is not reported yet; under the lock */
	struct pid *tgid;
	bool is_wanted;
	bool has_ended;		/* some threads may still be exiting; under the lock */
	bool begins_at_exec;	/* is_wanted becomes true at the next exec */
	struct rcu_head rcu;
};

static struct hlist_head *procs_head_of(const struct kt_procs *procs, const struct pid *tgid)
{
	return (struct hlist_head *)&procs->heads[hash_ptr((void *)tgid, KT_PROCS_ORDER)];
}

static struct proc *procs_find(const struct kt_procs *procs, const struct pid *tgid)
{
	struct proc *proc;

	hlist_for_each_entry_rcu(proc, procs_head_of(procs, tgid), node)
		if (proc->tgid == tgid)
			return proc;
	return NULL;
}

void kt_procs_init(struct kt_procs *procs, bool is_selective, bool does_follow)
{
	struct hlist_head *head;

	spin_lock_init(&procs->lock);
	INIT_LIST_HEAD(&procs->execs);
	for (head = procs->heads; head < procs->heads + ARRAY_SIZE(procs->heads); head++)
		INIT_HLIST_HEAD(head);
	procs->is_selective = is_selective;
	procs->does_follow = does_follow;
}

static void procs_free_proc(struct rcu_head *rcu)
{
	struct proc *proc = container_of(rcu, struct proc, rcu);

	put_pid(proc->tgid);
	kfree(proc);
}

static void procs_drop(struct proc *proc)
{
	hlist_del_rcu(&proc->node);
	list_del(&proc->exec);
	call_rcu(&proc->rcu, procs_free_proc);
}

void kt_procs_exit(struct kt_procs *procs)
{
	struct hlist_head *head;
	struct hlist_node *next;
	struct proc *proc;

	for (head = procs->heads; head < procs->heads + ARRAY_SIZE(procs->heads); head++)
		hlist_for_each_entry_safe(proc, next, head, node)
			procs_drop(proc);
}

bool kt_procs_wants(const struct kt_procs *procs, const struct pid *tgid)
{
	const struct proc *proc = procs_find(procs, tgid);

	return proc ? READ_ONCE(proc->is_wanted) : !procs->is_selective;
}

int kt_procs_reserve(struct hlist_head *spares, u32 nr, gfp_t gfp)
{
	struct proc *proc;

	for (; nr; nr--) {
		proc = kmalloc(sizeof(*proc), gfp);
		if (!proc) {
			kt_procs_unreserve(spares);
			return -ENOMEM;
		}
		hlist_add_head(&proc->node, spares);
	}
	return 0;
}

void kt_procs_unreserve(struct hlist_head *spares)
{
	struct hlist_node *next;
	struct proc *proc;

	hlist_for_each_entry_safe(proc, next, spares, node) {
		hlist_del(&proc->node);
		kfree(proc);
	}
}

/* Counts a process that is to be traced, or not any more. The caller holds the lock. */
static void procs_want(struct kt_procs *procs, struct proc *proc, bool is_wanted)
{
	if (!proc->has_ended && is_wanted && !proc->is_wanted)
		procs->nr_left++;
	if (!proc->has_ended && !is_wanted && proc->is_wanted)
		procs->nr_left--;
	WRITE_ONCE(proc->is_wanted, is_wanted);
}

/* The caller holds the lock. */
static void procs_end(struct kt_procs *procs, struct proc *proc)
{
	if (proc->has_ended)
		return;
	WRITE_ONCE(proc->has_ended, true);
	if (proc->is_wanted && !--procs->nr_left)
		procs->ended_at = kt_clock();
}

/* The caller holds the lock. */
static void procs_add(struct kt_procs *procs, struct proc *proc, struct pid *tgid, bool is_wanted)
{
	hlist_del(&proc->node);
	proc->tgid = get_pid(tgid);
	proc->is_wanted = false;
	INIT_LIST_HEAD(&proc->exec);
	proc->has_ended = false;
	proc->begins_at_exec = false;
	procs_want(procs, proc, is_wanted);
	hlist_add_head_rcu(&proc->node, procs_head_of(procs, tgid));
}

void kt_procs_set(struct kt_procs *procs, struct pid *tgid, bool is_wanted,
		  struct hlist_head *spares)
{
	struct proc *proc;

	spin_lock(&procs->lock);
	rcu_read_lock();
	proc = procs_find(procs, tgid);
	if (proc) {
		procs_want(procs, proc, is_wanted);
		WRITE_ONCE(proc->begins_at_exec, false);
	} else {
		procs_add(procs, hlist_entry(spares->first, struct proc, node), tgid, is_wanted);
	}
	rcu_read_unlock();
	spin_unlock(&procs->lock);
}

u32 kt_procs_list(const struct kt_procs *procs, s32 *pids, u32 max)
{
	const struct hlist_head *head;
	const struct proc *proc;
	u32 nr = 0;

	rcu_read_lock();
	for (head = procs->heads; head < procs->heads + ARRAY_SIZE(procs->heads); head++)
		hlist_for_each_entry_rcu(proc, head, node)
			if (nr < max && READ_ONCE(proc->is_wanted) && !READ_ONCE(proc->has_ended))
				pids[nr++] = pid_vnr(proc->tgid);
	rcu_read_unlock();
	return nr;
}

struct kt_procs_left kt_procs_left(struct kt_procs *procs)
{
	struct kt_procs_left left;

	spin_lock(&procs->lock);
	left.nr = procs->nr_left;
	left.ended_at = left.nr ? 0 : procs->ended_at;
	spin_unlock(&procs->lock);
	return left;
}

/* A child of a process that is not to be traced is not traced either. */
int kt_procs_inherit(struct kt_procs *procs, const struct pid *parent, struct pid *child)
{
	bool is_heir = false, is_wanted = false;
	const struct proc *proc;
	HLIST_HEAD(spares);

	rcu_read_lock();
	proc = procs_find(procs, parent);
	if (proc) {
		is_wanted = READ_ONCE(proc->is_wanted);
		is_heir = procs->does_follow || !is_wanted;
	}
	rcu_read_unlock();
	if (!is_heir)
		return 0;
	if (kt_procs_reserve(&spares, 1, GFP_ATOMIC | __GFP_NOWARN))
		return -ENOMEM;
	kt_procs_set(procs, child, is_wanted, &spares);
	kt_procs_unreserve(&spares);
	return 1;
}

/*
 * If another thread is still exiting, the last thread cannot tell that it is the last. Then the
 * process is removed later, when another process of its bucket ends and this one has no threads.
 */
static bool procs_is_over(const struct proc *proc, const struct pid *last)
{
	return proc->has_ended && list_empty(&proc->exec) &&
	       (proc->tgid == last || !pid_task(proc->tgid, PIDTYPE_PID));
}

bool kt_procs_ended(struct kt_procs *procs, const struct pid *tgid, bool is_last)
{
	struct hlist_head *head = procs_head_of(procs, tgid);
	struct hlist_node *next;
	bool is_dropped = false;
	struct proc *proc;

	if (hlist_empty(head))
		return false;
	spin_lock(&procs->lock);
	rcu_read_lock();
	hlist_for_each_entry_safe(proc, next, head, node) {
		if (proc->tgid == tgid)
			procs_end(procs, proc);
		if (!procs_is_over(proc, is_last ? tgid : NULL))
			continue;
		procs_drop(proc);
		is_dropped = true;
	}
	rcu_read_unlock();
	spin_unlock(&procs->lock);
	return is_dropped;
}

static bool procs_has_threads(const struct proc *proc)
{
	const struct task_struct *task = pid_task(proc->tgid, PIDTYPE_PID);

	return task && atomic_read(&task->signal->live);
}

void kt_procs_end_dead(struct kt_procs *procs)
{
	struct hlist_head *head;
	struct proc *proc;

	for (head = procs->heads; head < procs->heads + ARRAY_SIZE(procs->heads); head++) {
		spin_lock(&procs->lock);
		rcu_read_lock();
		hlist_for_each_entry_rcu(proc, head, node)
			if (!procs_has_threads(proc))
				procs_end(procs, proc);
		rcu_read_unlock();
		spin_unlock(&procs->lock);
		cond_resched();
	}
}

void kt_procs_exec(struct kt_procs *procs, const struct pid *tgid)
{
	struct proc *proc;

	spin_lock(&procs->lock);
	rcu_read_lock();
	proc = procs_find(procs, tgid);
	if (proc && list_empty(&proc->exec))
		list_add_tail(&proc->exec, &procs->execs);
	rcu_read_unlock();
	spin_unlock(&procs->lock);
}

void kt_procs_wait_for_exec(struct kt_procs *procs, const struct pid *tgid)
{
	struct proc *proc;

	spin_lock(&procs->lock);
	rcu_read_lock();
	proc = procs_find(procs, tgid);
	if (proc) {
		procs_want(procs, proc, false);
		WRITE_ONCE(proc->begins_at_exec, true);
	}
	rcu_read_unlock();
	spin_unlock(&procs->lock);
}

static bool procs_waits_for_exec(const struct kt_procs *procs, const struct pid *tgid)
{
	const struct proc *proc;
	bool waits;

	rcu_read_lock();
	proc = procs_find(procs, tgid);
	waits = proc && READ_ONCE(proc->begins_at_exec);
	rcu_read_unlock();
	return waits;
}

bool kt_procs_begin(struct kt_procs *procs, const struct pid *tgid)
{
	struct proc *proc;
	bool begins;

	if (!procs_waits_for_exec(procs, tgid))
		return false;
	spin_lock(&procs->lock);
	rcu_read_lock();
	proc = procs_find(procs, tgid);
	begins = proc && proc->begins_at_exec;
	if (begins) {
		WRITE_ONCE(proc->begins_at_exec, false);
		procs_want(procs, proc, true);
	}
	rcu_read_unlock();
	spin_unlock(&procs->lock);
	return begins;
}

/*
 * A process that has ended since is reported, too, since its program was not seen. It is removed
 * now, since its end has not done so.
 */
struct pid *kt_procs_next_exec(struct kt_procs *procs)
{
	struct pid *tgid = NULL;
	struct proc *proc;

	spin_lock(&procs->lock);
	rcu_read_lock();
	proc = list_first_entry_or_null(&procs->execs, struct proc, exec);
	if (proc) {
		tgid = get_pid(proc->tgid);
		list_del_init(&proc->exec);
		if (procs_is_over(proc, NULL))
			procs_drop(proc);
	}
	rcu_read_unlock();
	spin_unlock(&procs->lock);
	return tgid;
}
