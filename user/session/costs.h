/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COSTS_H
#define COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "nl/nl.h"

/*
 * What a probe costs the program that hits it, which the module cannot measure from inside: a
 * process of our own calls traced functions. Measured once after the module was
 * loaded; the module keeps the figures. False: they could not be measured.
 */
bool costs_measure(struct knl *nl);

/* ns that a call takes longer, if the kernel emulates the instruction at its entry. */
uint64_t costs_of_call(const struct ktrace_costs *costs);

/*
 * ns that all hits of a session have cost, with their traps if these were measured (of
 * user functions they are), otherwise the module's part alone.
 */
double costs_of(const struct ktrace_costs *costs, const struct knl_session *session);
bool costs_are_whole(const struct ktrace_costs *costs, const struct knl_session *session);

/* The same in percent of one CPU, since an earlier reading of the session, or NULL: its start. */
double costs_share(const struct ktrace_costs *costs, const struct knl_session *before,
		   const struct knl_session *now);

#endif
