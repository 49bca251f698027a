/* SPDX-License-Identifier: GPL-2.0 */
/* The counters of perf_event_open(2) behind a table of struct stat_table. */
#ifndef STAT_COUNTERS_H
#define STAT_COUNTERS_H

#include "report/stat.h"
#include "system/pmus.h"
#include "util/err.h"

struct stat_counters {
	struct stat_counter {
		enum stat_id id;
		const struct pmu *pmu;	/* or NULL */
		int error;		/* negative errno: it counts nothing */
		struct counter counter;
		struct counter_value before, now;	/* at the last two marks */
	} *all;
	size_t nr;
	struct pmu *pmus;
	size_t nr_pmus;
	char **names;	/* of the pmus */
};

/*
 * Opens all counters. Those that the machine lacks have an error. pmus_folder: PMUS_FOLDER. Returns
 * 0, or -1 with err set if there are too few descriptors or too little memory.
 */
int stat_counters_open(struct stat_counters *counters, const struct counter_target *target,
		       const char *pmus_folder, struct err *err);
void stat_counters_close(struct stat_counters *counters);

/* A window ends now, and the next one begins. */
void stat_counters_mark(struct stat_counters *counters);
/* Sets what was counted between the last two marks, in a table for the same pmus. */
void stat_counters_fill(const struct stat_counters *counters, struct stat_table *table);

#endif
