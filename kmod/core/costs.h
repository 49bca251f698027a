/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COSTS_H
#define KT_COSTS_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_session;
struct kt_session_cpu;

/* Process context. Returns -EINVAL if a cost is 0 or longer than a second. */
int kt_costs_set(const struct ktrace_costs *costs);
/* Process context. All costs are 0 if they are not known. */
void kt_costs_get(struct ktrace_costs *costs);

/* Sets the costs of a new session with per-CPU data, if its provider has a budget. */
void kt_costs_init(struct kt_session *session);
/* The module's part of a hit on this CPU took sample ns. Preemption is off. */
void kt_costs_learn(const struct kt_session *session, struct kt_session_cpu *cpu, bool is_return,
		    u64 sample);

/* Returns the ns of the module's part of an entry and a return: the mean of the online CPUs. */
u64 kt_costs_own_call(const struct kt_session *session);

#endif
