/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COSTS_H
#define KT_COSTS_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_session;
struct kt_session_cpu;

/* Process context. Set: -EINVAL if one cannot be. Get: all 0 if they are not known. */
int kt_costs_set(const struct ktrace_costs *costs);
void kt_costs_get(struct ktrace_costs *costs);

/* Of a session of user functions that is being made, with its per-CPU data: what hits cost. */
void kt_costs_init(struct kt_session *session);
/* Of this CPU's, preemption off: a hit took so many ns. */
void kt_costs_learn(const struct kt_session *session, struct kt_session_cpu *cpu, bool is_return,
		    u64 sample);

/* What ktrace itself takes for an entry and a return, ns: the mean of all CPUs. */
u64 kt_costs_own_call(const struct kt_session *session);

#endif
