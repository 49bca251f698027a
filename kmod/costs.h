/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COSTS_H
#define KT_COSTS_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_session;
struct kt_session_cpu;

/* Process context. Set: -EINVAL if one is 0 that cannot be. Get: all 0 if they are not known. */
int kt_costs_set(const struct ktrace_costs *costs);
void kt_costs_get(struct ktrace_costs *costs);

/* Of a session of user functions that is being made, with its per-CPU data: what hits cost. */
void kt_costs_init(struct kt_session *session);
/* Of this CPU's, preemption off: a hit was measured. */
void kt_costs_learn(const struct kt_session *session, struct kt_session_cpu *cpu, bool is_return);

/* What ktrace itself takes for a hit that is no return, or is one, ns; summed over all CPUs. */
u64 kt_costs_own(struct kt_session *session, bool is_return);

#endif
