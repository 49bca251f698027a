// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a session, and requests to change it. A request raises "want" or sets the state,
 * and queues the session's work (sessions.c). Only this work carries out requests.
 */
#include <linux/cpumask.h>
#include <linux/kref.h>
#include <linux/ktime.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/string.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "core/event.h"
#include "core/provider.h"
#include "core/session.h"
#include "lib/ticks.h"
#include "session/life.h"
#include "session/sessions.h"

static void turn_release(struct kref *ref)
{
	queue_work(kt_queue, &container_of(ref, struct kt_life, ref)->free_work);
}

void kt_session_put(struct kt_session *session)
{
	kref_put(&session->life->ref, turn_release);
}

void kt_session_set_state(struct kt_session *session, int state, int error)
{
	const struct kt_event event = {
		.session = session->id, .what = KTRACE_EVENT_STATE, .error = error,
	};

	lockdep_assert_held(&kt_control);
	session->life->error = error;
	WRITE_ONCE(session->life->state, state);
	kt_event_tell(&event);
}

/* The work holds a reference while it is queued. */
void kt_session_queue(struct kt_session *session)
{
	kref_get(&session->life->ref);
	if (!queue_work(kt_queue, &session->life->work))
		kt_session_put(session);
}

int kt_session_raise(struct kt_session *session, u32 want)
{
	lockdep_assert_held(&kt_control);
	if (want <= session->want)
		return -EBUSY;
	WRITE_ONCE(session->want, want);
	kt_session_queue(session);
	return 0;
}

bool kt_session_may_turn(const struct kt_session *session)
{
	int state = session->life->state;

	return session->want == KT_WANT_ACTIVE &&
	       (state == KTRACE_STATE_ACTIVE || state == KTRACE_STATE_PAUSED);
}

int kt_session_turn(struct kt_session *session)
{
	lockdep_assert_held(&kt_control);
	if (!kt_session_may_turn(session))
		return -EBUSY;
	kt_session_set_state(session, KTRACE_STATE_CHANGING, 0);
	kt_session_queue(session);
	return 0;
}

int kt_session_stop(struct kt_session *session)
{
	int error;

	mutex_lock(&kt_control);
	error = kt_session_raise(session, KT_WANT_STOPPED);
	mutex_unlock(&kt_control);
	return error;
}

static void turn_sum_counters(struct kt_session *session, struct ktrace_counters *counters)
{
	const struct kt_provider *provider = session->config.provider;
	int cpu;

	memset(counters, 0, sizeof(*counters));
	for_each_possible_cpu(cpu)
		kt_session_counters(session, cpu, counters);
	if (provider->missed)
		counters->lost_missed += provider->missed(session);
}

/* Returns the ns until the lifetime is over, or U64_MAX if none runs. */
static u64 turn_left(const struct kt_life *life)
{
	u64 expires = READ_ONCE(life->expires), now = ktime_get_ns();

	if (!expires || READ_ONCE(life->state) == KTRACE_STATE_STOPPED)
		return U64_MAX;
	return expires > now ? expires - now : 0;
}

void kt_session_get_status(struct kt_session *session, struct kt_session_status *status)
{
	const struct kt_life *life = session->life;

	status->state = READ_ONCE(life->state);
	status->error = READ_ONCE(life->error);
	status->left = turn_left(life);
	status->reader = atomic64_read(&life->reader) ? READ_ONCE(life->reader_pid) : 0;
	status->clocks[0] = session->start;
	if (status->state == KTRACE_STATE_STOPPED || READ_ONCE(session->gate) == KT_GATE_CLOSED)
		status->clocks[1] = session->end;
	else
		kt_clocks_read(&status->clocks[1]);
	turn_sum_counters(session, &status->counters);
}
