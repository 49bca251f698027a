// SPDX-License-Identifier: GPL-2.0
/*
 * Whom a session traces. Processes that talk to the module are never traced:
 * the command line maps libc like anybody else.
 */
#include <linux/fs.h>
#include <linux/list.h>
#include <linux/mm.h>
#include <linux/pid.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/slab.h>
#include <linux/spinlock.h>

#include "caller.h"
#include "compat.h"
#include "filter.h"
#include "session.h"

struct own {
	struct list_head node;
	struct pid *tgid;
	struct rcu_head rcu;
};

static LIST_HEAD(owns);			/* readers RCU */
static DEFINE_SPINLOCK(owns_lock);	/* guards changes of owns and their count */
u32 kt_filter_nr_changes = 1;

static void own_free(struct rcu_head *rcu)
{
	struct own *own = container_of(rcu, struct own, rcu);

	put_pid(own->tgid);
	kfree(own);
}

static bool is_own(const struct pid *tgid)
{
	struct own *own;

	list_for_each_entry_rcu(own, &owns, node)
		if (own->tgid == tgid)
			return true;
	return false;
}

/* Forgets processes that have gone, so that the list stays as short as they are. */
static void forget_gone(void)
{
	struct own *own, *next;

	list_for_each_entry_safe(own, next, &owns, node) {
		if (pid_task(own->tgid, PIDTYPE_PID))
			continue;
		list_del_rcu(&own->node);
		call_rcu(&own->rcu, own_free);
	}
}

int kt_filter_own_current(void)
{
	struct own *own;
	bool is_known;

	rcu_read_lock();
	is_known = is_own(task_tgid(current));
	rcu_read_unlock();
	if (is_known)
		return 0;
	own = kmalloc(sizeof(*own), GFP_KERNEL);
	if (!own)
		return -ENOMEM;
	own->tgid = get_pid(task_tgid(current));
	spin_lock(&owns_lock);
	rcu_read_lock();
	forget_gone();
	rcu_read_unlock();
	list_add_rcu(&own->node, &owns);
	WRITE_ONCE(kt_filter_nr_changes, kt_filter_nr_changes + 1);
	spin_unlock(&owns_lock);
	return 0;
}

int kt_filter_init(void)
{
	return 0;
}

void kt_filter_exit(void)
{
	struct own *own, *next;

	list_for_each_entry_safe(own, next, &owns, node) {
		list_del_rcu(&own->node);
		call_rcu(&own->rcu, own_free);
	}
	rcu_barrier();
}

static bool wants_tgid(const struct kt_session *session, const struct pid *tgid)
{
	u32 i;

	for (i = 0; i < session->config.nr_pids; i++)
		if (session->config.pids[i] == tgid)
			return !is_own(tgid);
	return !session->config.nr_pids && !is_own(tgid);
}

bool kt_filter_task_slow(const struct kt_session *session, const struct pid *tgid)
{
	struct kt_filter_cache *seen;
	u32 changes = READ_ONCE(kt_filter_nr_changes);
	bool wants;

	rcu_read_lock();
	wants = wants_tgid(session, tgid);
	rcu_read_unlock();
	if (wants) {
		seen = &get_cpu_ptr(session->cpu)->seen;
		seen->tgid = tgid;
		seen->nr_changes = changes;
		put_cpu_ptr(session->cpu);
	}
	return wants;
}

bool kt_filter_mm(const struct kt_session *session, struct mm_struct *mm, bool is_foreign)
{
	struct task_struct *owner;
	bool wants, is_unlocked;

	rcu_read_lock();
	owner = rcu_dereference(mm->owner);
	wants = owner && wants_tgid(session, task_tgid(owner));
	rcu_read_unlock();
	if (!wants || !is_foreign || session->config.nr_pids)
		return wants;
	/*
	 * Whoever registers, or maps a file, holds the lock for write. Before a
	 * breakpoint is removed from current's own memory nobody does.
	 */
	is_unlocked = mm == current->mm && mmap_read_trylock(mm);
	wants = kt_caller_maps(mm, kt_file_inode(session->config.file));
	if (is_unlocked)
		mmap_read_unlock(mm);
	return wants;
}
