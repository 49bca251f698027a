/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COSTS_H
#define KT_COSTS_H

#include <linux/atomic.h>
#include <linux/types.h>

#include <uapi/ktrace.h>

#include "core/hot.h"

struct kt_session;

/* Process context. Returns -EINVAL if a cost is 0 or longer than a second. */
int kt_costs_set(const struct ktrace_costs *costs);
/* Process context. All costs are 0 if they are not known. */
void kt_costs_get(struct ktrace_costs *costs);

/* Sets the costs of a new session with per-CPU data, if its provider has a budget. */
void kt_costs_init(struct kt_session *session);
/*
 * The module's part of a hit on this CPU took sample ns, which may have been a walk over a deep
 * stack (has_walked). Returns how much of it counts, ns; 0 if costs are not known. Preemption is
 * off.
 */
u64 kt_costs_learn(const struct kt_session *session, struct kt_session_cpu *cpu, bool is_return,
		   u64 sample, bool has_walked);

/* What hits have cost programs, ns, by function. The hits of removed functions are not in total. */
struct kt_spent {
	atomic64_t total;
	atomic64_t func[];
};

/* Process context. Makes session->spent if the session has a budget. Returns 0 or -ENOMEM. */
int kt_costs_create_spent(struct kt_session *session);
void kt_costs_free_spent(struct kt_session *session);

/*
 * Counts the hits on this CPU since the last call: all of them for func, each as one of which the
 * module's part took own ns. Preemption is off.
 */
void kt_costs_spend(struct kt_session *session, struct kt_session_cpu *cpu, enum kt_cost kind,
		    u32 func, u64 own);
/* Counts a hit of a task that the conditions exclude. Any context. */
void kt_costs_exclude(struct kt_session *session, enum kt_cost kind, u32 func);
/* Returns the cost of the hits on a CPU that kt_costs_spend() has not counted yet. */
u64 kt_costs_rest(const struct kt_session *session, const struct kt_session_cpu *cpu);

/* Returns what a call of a function costs, ns. A call whose return is not probed has one hit. */
u64 kt_costs_of_call(const struct kt_session *session, const struct ktrace_func *desc);

#endif
