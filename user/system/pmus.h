/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PMUS_H
#define PMUS_H

#include <stddef.h>
#include <stdint.h>

#define PMUS_FOLDER "/sys/bus/event_source/devices"

/* The counters of one kind of CPUs. */
struct pmu {
	char *name;		/* "cpu_core" */
	uint32_t type;		/* for perf_event_open(2) */
	int32_t *cpus;
	size_t nr_cpus;
};

/*
 * Lists the kinds of CPUs of a machine that has several, sorted by name, and returns how many.
 * Returns 0 if all CPUs are of one kind. folder: PMUS_FOLDER.
 */
size_t pmus_list(struct pmu **pmus, const char *folder);
void pmus_free(struct pmu *pmus, size_t nr);

#endif
