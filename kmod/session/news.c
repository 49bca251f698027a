// SPDX-License-Identifier: GPL-2.0
/* Events in atomic context, where no notice can be sent: a work sends the notice later. */
#include <linux/bitops.h>
#include <linux/cpumask.h>
#include <linux/irq_work.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/sched/signal.h>
#include <linux/workqueue.h>

#include "core/event.h"
#include "core/filter.h"
#include "core/procs.h"
#include "core/trigger.h"
#include "session/life.h"
#include "session/sessions.h"
#include "uprobe/hold.h"

/* --- processes execute other programs -------------------------------------- */

static void news_exec_work(struct work_struct *work)
{
	struct kt_session *session = container_of(work, struct kt_session, exec_work);
	struct kt_event event = { .session = session->id, .what = KTRACE_EVENT_EXEC };
	struct pid *tgid;

	while ((tgid = kt_procs_next_exec(&session->procs))) {
		event.pid = kt_hold_pid_of(session->hold, tgid);
		if (event.pid)
			kt_event_tell(&event);
		/* The process may have been dropped: a CPU must not find its pid in its cache. */
		kt_filter_changed();
		put_pid(tgid);
	}
	kt_session_put(session);
}

/* An RCU reader may still find a session whose last reference is gone. */
void kt_session_exec(struct kt_session *session)
{
	if (!session->procs.does_follow || !kref_get_unless_zero(&session->life->ref))
		return;
	kt_procs_exec(&session->procs, task_tgid(current));
	if (!queue_work(kt_queue, &session->exec_work))
		kt_session_put(session);
}

/* --- a hit finds that a ring fills up, or fires a trigger ------------------ */

static void news_tell_trigger(struct kt_session *session)
{
	const struct kt_event event = { .session = session->id, .what = KTRACE_EVENT_TRIGGERED };

	if (session->hot.trigger && kt_trigger_take_news(session))
		kt_event_tell(&event);
}

static void news_full_work(struct work_struct *work)
{
	struct kt_session *session = &container_of(work, struct kt_life, full_work)->session;
	struct kt_event event = { .session = session->id, .what = KTRACE_EVENT_DATA };
	int cpu;

	for_each_possible_cpu(cpu) {
		event.cpu = cpu;
		if (test_and_clear_bit(cpu, session->full_cpus))
			kt_event_tell(&event);
	}
	news_tell_trigger(session);
}

static void news_full_irq(struct irq_work *work)
{
	queue_work(kt_queue, &container_of(work, struct kt_session, full_irq)->life->full_work);
}

void kt_session_init_news(struct kt_session *session)
{
	INIT_WORK(&session->exec_work, news_exec_work);
	INIT_WORK(&session->life->full_work, news_full_work);
	init_irq_work(&session->full_irq, news_full_irq);
}
