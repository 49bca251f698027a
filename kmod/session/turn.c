// SPDX-License-Identifier: GPL-2.0
/*
 * The state of a session, and requests to change it. A request raises "want" or sets the state,
 * and queues the session's work (sessions.c). Only this work carries out requests.
 */
#include <linux/kref.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>
#include <linux/workqueue.h>

#include "core/event.h"
#include "core/session.h"
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
