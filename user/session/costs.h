/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COSTS_H
#define COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "client/client.h"

/*
 * Measures what a probe costs the program that hits it. The module cannot measure the trap from
 * inside, so a child process calls traced functions. This happens once after the module is loaded;
 * the module keeps the figures. Returns false if the costs could not be measured.
 */
bool costs_measure(struct ktr *ktr);

/* Returns how many ns a traced call takes longer, if the kernel emulates its first instruction. */
uint64_t costs_of_call(const struct ktrace_costs *costs);

/*
 * Returns how many ns all hits of a session have cost. The figure includes the traps if
 * costs_are_whole(), otherwise it is the module's part alone.
 */
double costs_of(const struct ktrace_costs *costs, const struct ktr_session *session);
/* Returns true for user functions, once costs_measure() has succeeded. */
bool costs_are_whole(const struct ktrace_costs *costs, const struct ktr_session *session);

/*
 * Returns the cost in percent of one CPU, since an earlier reading of the session (before), or
 * since its start if before is NULL.
 */
double costs_share(const struct ktrace_costs *costs, const struct ktr_session *before,
		   const struct ktr_session *now);

#endif
