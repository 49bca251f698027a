/* SPDX-License-Identifier: GPL-2.0 */
#ifndef COSTS_H
#define COSTS_H

#include <stdbool.h>
#include <stdint.h>

#include "nl.h"

/*
 * What a probe costs the program that runs into it, which the module cannot see from inside: a
 * process of our own calls functions that are traced. Measured once after the module was
 * loaded; it keeps the figures. False: they are not known, and could not be measured.
 */
bool costs_measure(struct knl *nl);

/* ns that a call takes longer which is entered at an instruction that the kernel emulates. */
uint64_t costs_of_call(const struct ktrace_costs *costs);

/* ns that the programs have lost to all hits of a session; 0: not known. */
double costs_of(const struct ktrace_costs *costs, const struct ktrace_counters *counters);

#endif
