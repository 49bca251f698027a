// SPDX-License-Identifier: GPL-2.0
/* Records: all providers write into a session's ring with these functions. */
#include <linux/bitops.h>
#include <linux/irq_work.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include <uapi/ktrace_record.h>

#include "compat/kernel.h"
#include "core/event.h"
#include "core/record.h"
#include "core/ring.h"
#include "core/session.h"
#include "core/trigger.h"
#include "lib/clock.h"
#include "lib/ticks.h"

/* A hit may run in any context. A work of session/news.c reports the event, since that sleeps. */
static void record_tell_filling(struct kt_session *session)
{
	if (kt_event_is_wanted() && !test_and_set_bit(smp_processor_id(), session->full_cpus))
		irq_work_queue(&session->full_irq);
}

void kt_record_write(struct kt_session *session, struct kt_record_head head, const u64 *words,
		     u32 nr_words)
{
	struct kt_ring *ring = session->hot.ring;
	struct ktrace_record *rec;
	struct kt_ring_slot slot KT_FILLED_LATER;
	u32 i;

	if (!kt_ring_reserve(ring, sizeof(*rec) + nr_words * sizeof(u64), &slot))
		return;
	rec = slot.data;
	rec->time = slot.time;
	BUILD_BUG_ON(offsetof(struct ktrace_record, duration) -
		     offsetof(struct ktrace_record, id) != sizeof(head));
	*(struct kt_record_head *)&rec->id = head;
	for (i = 0; i < nr_words; i++)
		rec->duration[i] = words[i];
	if (unlikely(kt_ring_commit(ring, &slot)) && kt_ring_is_filling(ring))
		record_tell_filling(session);
}

bool kt_record_emit(struct kt_session *session, struct kt_record_head head, const u64 *words,
		    u32 nr_words)
{
	if (unlikely(session->hot.trigger) && kt_trigger_withholds(session))
		return false;
	kt_record_write(session, head, words, nr_words);
	return true;
}

/*
 * A delay between the two reads makes a time later, so events that are recorded when they end stay
 * in order.
 */
u64 kt_record_time_of(u64 ticks)
{
	u64 now = kt_ticks(), clock = kt_clock();

	return now > ticks ? clock - kt_ticks_to_ns(now - ticks) : clock;
}

void kt_record_emit_task(struct kt_session *session, u32 id, const u64 *words, u8 nr_words)
{
	if (session->hot.ring)
		kt_record_emit(session, kt_record_head(id, current->pid, ~0U, 0, 0, nr_words),
			       words, nr_words);
}
