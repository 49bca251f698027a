// SPDX-License-Identifier: GPL-2.0
/*
 * Gates. Probes of several sessions are planted one after the other. With a gate, the sessions
 * begin to count at the same moment, and cease at the same moment.
 */
#include <linux/irqflags.h>
#include <linux/lockdep.h>
#include <linux/mutex.h>

#include "core/provider.h"
#include "core/session.h"
#include "lib/ticks.h"
#include "session/life.h"
#include "session/sessions.h"

static bool gate_may_change(struct kt_session *const *sessions, u32 nr, bool is_open)
{
	u32 i;

	for (i = 0; i < nr; i++)
		if (!kt_session_may_turn(sessions[i]) ||
		    sessions[i]->life->state != KTRACE_STATE_ACTIVE ||
		    sessions[i]->gate != (is_open ? KT_GATE_NEW : KT_GATE_OPEN))
			return false;
	return true;
}

/*
 * What may take long comes first: a provider that opens its gate itself also looks at its probes
 * before. Otherwise events between this and the gate would be lost.
 */
static void gate_prepare(struct kt_session *session, bool is_open, bool opens_itself)
{
	const struct kt_provider *provider = session->config.provider;

	if (!provider->set_open == opens_itself)
		return;
	if (is_open && provider->will_open)
		provider->will_open(session);
	if (!is_open && provider->will_close)
		provider->will_close(session);
}

/* A call counts if it began at counts_from or later. */
static void gate_set(struct kt_session *session, bool is_open, u64 now)
{
	const struct kt_provider *provider = session->config.provider;

	WRITE_ONCE(session->gate, is_open ? KT_GATE_OPEN : KT_GATE_CLOSED);
	WRITE_ONCE(session->hot.counts_from, is_open ? now : U64_MAX);
	if (provider->set_open)
		provider->set_open(session, is_open);
}

static void gate_set_all(struct kt_session *const *sessions, u32 nr, bool is_open)
{
	struct ktrace_clocks clocks;
	unsigned long flags;
	u64 now;
	u32 i;

	local_irq_save(flags);
	now = kt_ticks();
	kt_clocks_read(&clocks);
	/* A reader that finds a gate closed reads the session's end. */
	for (i = 0; i < nr; i++)
		*(is_open ? &sessions[i]->start : &sessions[i]->end) = clocks;
	for (i = 0; i < nr; i++)
		gate_set(sessions[i], is_open, now);
	local_irq_restore(flags);
}

int kt_sessions_gate(struct kt_session *const *sessions, u32 nr, bool is_open)
{
	int error = -EBUSY;
	u32 i;

	mutex_lock(&kt_control);
	if (!gate_may_change(sessions, nr, is_open))
		goto unlock;
	for (i = 0; i < nr; i++)
		gate_prepare(sessions[i], is_open, true);
	for (i = 0; i < nr; i++)
		gate_prepare(sessions[i], is_open, false);
	gate_set_all(sessions, nr, is_open);
	error = 0;
unlock:
	mutex_unlock(&kt_control);
	return error;
}
