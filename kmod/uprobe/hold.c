// SPDX-License-Identifier: GPL-2.0
/*
 * Holding: a task that has just mapped files waits, so that the functions of these files are probed
 * before they run. The probe is at the function that a program's loader calls as a hook for
 * debuggers. The wait is killable, and its time is limited: with an idle watcher it lasts hold_ms,
 * and counts in gaps. It lasts longer while the watcher is at work, that is, while it answers other
 * tasks, reads programs, or plants probes.
 */
#include <linux/err.h>
#include <linux/jiffies.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/spinlock.h>
#include <linux/time.h>
#include <linux/wait.h>
#include <linux/workqueue.h>

#include "core/event.h"
#include "core/session.h"
#include "lib/mem.h"
#include "uprobe/hold.h"

static unsigned int hold_ms = 200;
module_param(hold_ms, uint, 0644);
MODULE_PARM_DESC(hold_ms, "how long a task waits until what it mapped is probed, while nothing is done about it (default 200)");

#define MOST_TURNS 25	/* of hold_ms at most, while the watcher is at work */

struct kt_hold {
	spinlock_t lock;	/* guards all members; _bh: also taken when a socket is closed */
	u64 watcher;		/* its socket; 0: no watcher, so no task waits */
	struct pid *watcher_tgid;
	bool is_passed;		/* no task waits for now: probes are being removed */
	bool is_missed;		/* ... and the session goes on: a task that went on is a gap */
	struct list_head held;
	u64 nr_answers;		/* TASK_CONTINUE commands of the watcher so far */
	wait_queue_head_t queue;
};

/* A task that waits; on its stack. */
struct held {
	struct list_head node;
	const struct pid *tgid;
	bool is_released;	/* guarded by the lock, like is_missed */
	bool is_missed;		/* it did not wait for the answer of the watcher */
};

struct kt_hold *kt_hold_create(void)
{
	struct kt_hold *hold = kt_mem_alloc(sizeof(*hold));

	if (!hold)
		return NULL;
	spin_lock_init(&hold->lock);
	INIT_LIST_HEAD(&hold->held);
	init_waitqueue_head(&hold->queue);
	return hold;
}

void kt_hold_free(struct kt_hold *hold)
{
	if (!hold)
		return;
	put_pid(hold->watcher_tgid);
	kt_mem_free(hold, sizeof(*hold));
}

int kt_hold_watch(struct kt_hold *hold, u64 socket)
{
	int error = 0;

	spin_lock_bh(&hold->lock);
	if (!hold->watcher) {
		hold->watcher = socket;
		put_pid(hold->watcher_tgid);
		hold->watcher_tgid = get_pid(task_tgid(current));
	} else if (hold->watcher != socket) {
		error = -EBUSY;
	}
	spin_unlock_bh(&hold->lock);
	return error;
}

/* The caller holds the lock. */
static bool hold_release(struct kt_hold *hold, const struct pid *tgid, bool is_missed)
{
	struct held *held;
	bool is_any = false;

	list_for_each_entry(held, &hold->held, node) {
		if (tgid && held->tgid != tgid)
			continue;
		held->is_missed |= is_missed && !held->is_released;
		held->is_released = true;
		is_any = true;
	}
	if (is_any)
		wake_up_all(&hold->queue);
	return is_any;
}

int kt_hold_release(struct kt_hold *hold, const struct pid *tgid)
{
	bool is_any;

	spin_lock_bh(&hold->lock);
	is_any = hold_release(hold, tgid, false);
	hold->nr_answers++;
	spin_unlock_bh(&hold->lock);
	return is_any ? 0 : -ESRCH;
}

void kt_hold_pass(struct kt_hold *hold, bool is_passed, bool is_missed)
{
	spin_lock_bh(&hold->lock);
	hold->is_passed = is_passed;
	hold->is_missed = is_missed;
	if (is_passed)
		hold_release(hold, NULL, is_missed);
	spin_unlock_bh(&hold->lock);
}

void kt_hold_close_socket(struct kt_hold *hold, u64 socket)
{
	spin_lock_bh(&hold->lock);
	if (hold->watcher == socket) {
		hold->watcher = 0;
		hold_release(hold, NULL, false);
	}
	spin_unlock_bh(&hold->lock);
}

pid_t kt_hold_pid_of(struct kt_hold *hold, struct pid *tgid)
{
	pid_t pid = 0;

	spin_lock_bh(&hold->lock);
	if (hold->watcher)
		pid = pid_nr_ns(tgid, ns_of_pid(hold->watcher_tgid));
	spin_unlock_bh(&hold->lock);
	return pid;
}

static bool hold_is_released(struct kt_hold *hold, const struct held *held)
{
	bool yes;

	spin_lock_bh(&hold->lock);
	yes = held->is_released;
	spin_unlock_bh(&hold->lock);
	return yes;
}

/* The work of the watcher so far. For example, it may be reading a new program. */
struct work {
	u64 run_ns;		/* CPU time of its first thread */
	bool is_runnable;	/* it has a CPU, or waits for one */
	u64 nr_answers;
	u32 nr_sites;
};

static void hold_look_at_watcher(struct pid *tgid, struct work *work)
{
	struct task_struct *task = get_pid_task(tgid, PIDTYPE_PID);

	work->run_ns = 0;
	work->is_runnable = false;
	if (!task)
		return;
	work->run_ns = READ_ONCE(task->se.sum_exec_runtime);
	work->is_runnable = READ_ONCE(task->on_rq);
	put_task_struct(task);
}

static void hold_look(struct kt_session *session, struct work *work)
{
	struct kt_hold *hold = session->hold;
	struct pid *watcher;

	spin_lock_bh(&hold->lock);
	work->nr_answers = hold->nr_answers;
	watcher = get_pid(hold->watcher_tgid);
	spin_unlock_bh(&hold->lock);
	work->nr_sites = READ_ONCE(session->nr_sites);
	hold_look_at_watcher(watcher, work);
	put_pid(watcher);
}

/* A watcher that only polls runs for less than 1 / BUSY_PART of the time. */
#define BUSY_PART 8

static bool hold_is_busy(const struct work *before, const struct work *now, unsigned int ms)
{
	return now->is_runnable || now->nr_answers != before->nr_answers ||
	       now->nr_sites != before->nr_sites ||
	       (now->run_ns - before->run_ns) * BUSY_PART > (u64)ms * NSEC_PER_MSEC;
}

/*
 * Waits for one turn of hold_ms. Returns false if the task was not released during the turn, and
 * the watcher was not at work.
 */
static bool hold_wait_turn(struct kt_session *session, const struct held *held)
{
	struct kt_hold *hold = session->hold;
	unsigned int ms = READ_ONCE(hold_ms);
	long left = msecs_to_jiffies(ms);
	struct work before, now;
	DEFINE_WAIT(entry);

	hold_look(session, &before);
	for (;;) {
		prepare_to_wait(&hold->queue, &entry, TASK_KILLABLE);
		if (!left || hold_is_released(hold, held) || fatal_signal_pending(current))
			break;
		left = schedule_timeout(left);
	}
	finish_wait(&hold->queue, &entry);
	hold_look(session, &now);
	return left || hold_is_busy(&before, &now, ms);
}

/* Returns false if the wait timed out. */
static bool hold_wait(struct kt_session *session, const struct held *held)
{
	unsigned int turns;

	for (turns = 0; turns < MOST_TURNS; turns++) {
		if (hold_is_released(session->hold, held) || fatal_signal_pending(current))
			return true;
		if (!hold_wait_turn(session, held))
			return false;
	}
	return hold_is_released(session->hold, held);
}

void kt_hold_wait(struct kt_session *session)
{
	struct held held = { .tgid = task_tgid(current) };
	struct kt_hold *hold = session->hold;
	struct kt_event event = {
		.session = session->id, .what = KTRACE_EVENT_HELD,
		.pid = kt_hold_pid_of(hold, task_tgid(current)),
	};
	bool is_missed;

	if (!event.pid)
		return;
	spin_lock_bh(&hold->lock);
	list_add_tail(&held.node, &hold->held);
	held.is_released = !hold->watcher || hold->is_passed;
	held.is_missed = hold->watcher && hold->is_missed;
	spin_unlock_bh(&hold->lock);

	/* The watcher gets EXEC notices before HELD: later the task might have ended. */
	flush_work(&session->exec_work);
	kt_event_tell(&event);
	is_missed = !hold_wait(session, &held);

	spin_lock_bh(&hold->lock);
	list_del(&held.node);
	is_missed |= held.is_missed;
	spin_unlock_bh(&hold->lock);
	if (is_missed)
		this_cpu_inc(session->hot.cpu->counters.gaps);
}
