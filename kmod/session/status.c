// SPDX-License-Identifier: GPL-2.0
/* The status of a session: state, clocks, counters. */
#include <linux/cpumask.h>
#include <linux/string.h>

#include "core/provider.h"
#include "lib/ticks.h"
#include "session/life.h"
#include "session/lifetime.h"
#include "session/sessions.h"

static void status_sum_counters(struct kt_session *session, struct ktrace_counters *counters)
{
	const struct kt_provider *provider = session->config.provider;
	int cpu;

	memset(counters, 0, sizeof(*counters));
	for_each_possible_cpu(cpu)
		kt_session_counters(session, cpu, counters);
	if (provider->missed)
		counters->lost_missed += provider->missed(session);
}

void kt_session_get_status(struct kt_session *session, struct kt_session_status *status)
{
	const struct kt_life *life = session->life;

	status->state = READ_ONCE(life->state);
	status->error = READ_ONCE(life->error);
	status->left = kt_lifetime_left(session);
	status->reader = atomic64_read(&life->reader) ? READ_ONCE(life->reader_pid) : 0;
	status->clocks[0] = session->start;
	if (status->state == KTRACE_STATE_STOPPED || READ_ONCE(session->gate) == KT_GATE_CLOSED)
		status->clocks[1] = session->end;
	else
		kt_clocks_read(&status->clocks[1]);
	status_sum_counters(session, &status->counters);
}
