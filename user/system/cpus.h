/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CPUS_H
#define CPUS_H

#include "util/err.h"

/* The number of a CPU as it is typed; -1 with err set: it is none. */
int cpus_parse(const char *text, struct err *err);

/* One that we may run on: the last, since the first has most interrupts. -1: not known. */
int cpus_choose(void);

/* The calling thread runs there from now on. 0, or an errno. */
int cpus_pin(int cpu);

/* Why it does not: always -1, with err set. */
int cpus_explain(int cpu, int error, struct err *err);

#endif
