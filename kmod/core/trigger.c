// SPDX-License-Identifier: GPL-2.0
/*
 * Triggers. The first event that meets the condition claims the trigger, so no hit waits for
 * another one: its CPU alone writes what belongs to the event, and then sets the time from which on
 * the ring is frozen. All hits compare this time with their clock, so no timer is needed.
 *
 *	ARMED --claim--> CLAIMED --fire--> FIRED --arm--> ARMED
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/errno.h>
#include <linux/irq_work.h>
#include <linux/kernel.h>
#include <linux/percpu.h>
#include <linux/spinlock.h>
#include <linux/string.h>

#include "core/event.h"
#include "core/session.h"
#include "core/trigger.h"
#include "lib/clock.h"
#include "lib/lock.h"
#include "lib/mem.h"

#define NEVER U64_MAX

enum { ARMED, CLAIMED, FIRED };

struct kt_trigger {
	struct ktrace_trigger wanted;
	u64 frozen_from;		/* ns; NEVER: records flow */
	atomic_t state;
	atomic_t is_news;		/* it has fired, and no notice was sent yet */
	raw_spinlock_t lock;		/* guards seen, and the changes to FIRED and from there */
	struct ktrace_triggered seen;
};

struct kt_trigger *kt_trigger_create(const struct ktrace_trigger *wanted)
{
	struct kt_trigger *trigger = kt_mem_alloc(sizeof(*trigger));

	if (!trigger)
		return NULL;
	trigger->wanted = *wanted;
	trigger->frozen_from = NEVER;
	raw_spin_lock_init(&trigger->lock);
	return trigger;
}

void kt_trigger_free(struct kt_trigger *trigger)
{
	kt_mem_free(trigger, sizeof(*trigger));
}

u32 kt_trigger_number(const struct kt_session *session)
{
	return session->hot.trigger->wanted.func;
}

static bool trigger_is_met(const struct ktrace_trigger *wanted,
			   const struct kt_trigger_event *event)
{
	return event->duration >= wanted->min_ns &&
	       (wanted->func == KTRACE_TRIGGER_ANY || wanted->func == event->number) &&
	       (!(wanted->flags & KTRACE_TRIGGER_ERROR) || event->error);
}

bool kt_trigger_claim(struct kt_session *session, const struct kt_trigger_event *event)
{
	struct kt_trigger *trigger = session->hot.trigger;

	return trigger_is_met(&trigger->wanted, event) && atomic_read(&trigger->state) == ARMED &&
	       atomic_cmpxchg(&trigger->state, ARMED, CLAIMED) == ARMED;
}

void kt_trigger_fire(struct kt_session *session, const struct kt_trigger_event *event)
{
	struct kt_trigger *trigger = session->hot.trigger;
	u64 now = kt_clock(), after = min(trigger->wanted.after_ns, NEVER - 1 - now);
	unsigned long flags = kt_lock(&trigger->lock);

	trigger->seen = (struct ktrace_triggered){
		.time = now, .frozen_from = now + after, .duration = event->duration,
		.func = event->func, .tid = event->tid, .error = event->error,
	};
	WRITE_ONCE(trigger->frozen_from, now + after);
	atomic_set(&trigger->is_news, 1);
	atomic_set(&trigger->state, FIRED);
	kt_unlock(&trigger->lock, flags);
	/* A work of session/news.c sends the notice, since that sleeps. */
	if (kt_event_is_wanted())
		irq_work_queue(&session->full_irq);
}

void kt_trigger_event(struct kt_session *session, const struct kt_trigger_event *event)
{
	if (kt_trigger_claim(session, event))
		kt_trigger_fire(session, event);
}

bool kt_trigger_withholds(struct kt_session *session)
{
	u64 from = READ_ONCE(session->hot.trigger->frozen_from);

	if (likely(from == NEVER) || kt_clock() < from)
		return false;
	this_cpu_inc(session->hot.cpu->counters.after_trigger);
	return true;
}

bool kt_trigger_take_news(struct kt_session *session)
{
	return atomic_xchg(&session->hot.trigger->is_news, 0);
}

int kt_trigger_arm(struct kt_session *session)
{
	struct kt_trigger *trigger = session->hot.trigger;
	unsigned long flags = kt_lock(&trigger->lock);
	int state = atomic_read(&trigger->state);

	if (state == FIRED) {
		memset(&trigger->seen, 0, sizeof(trigger->seen));
		WRITE_ONCE(trigger->frozen_from, NEVER);
		atomic_set(&trigger->is_news, 0);
		atomic_set(&trigger->state, ARMED);
	}
	kt_unlock(&trigger->lock, flags);
	return state == CLAIMED ? -EBUSY : 0;
}

void kt_trigger_get(struct kt_session *session, struct ktrace_triggered *seen)
{
	struct kt_trigger *trigger = session->hot.trigger;
	unsigned long flags = kt_lock(&trigger->lock);

	*seen = trigger->seen;
	kt_unlock(&trigger->lock, flags);
}
