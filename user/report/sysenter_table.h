/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYSENTER_TABLE_H
#define SYSENTER_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "client/client.h"
#include "system/vulnerabilities.h"
#include "uapi/ktrace.h"

/* Durations of some calls, ns. nr 0: not measured. */
struct sysenter_figure {
	uint64_t nr;
	double min, median, p99, mean;
};

/* The system calls of a process, and its CPU time in the same window. */
struct sysenter_share {
	int32_t pid;		/* 0 if no process was counted */
	char comm[16];
	uint64_t calls, wall_ns, cpu_ns;
	bool is_ended;		/* the process ended before the window was over */
};

struct sysenter_report {
	int cpu;
	bool is_emulated;
	uint64_t lost;
	struct sysenter_figure untraced, traced, counted; /* whole calls; counted: while calls
							   * are counted for -p */
	struct sysenter_figure parts[KTRACE_NR_SYSENTER];
	double clock_ns;	/* ns for one reading of the clock, which each of these figures
				 * contains */
	double ghz;		/* cycles of the TSC per ns */
	struct vulnerabilities vulnerabilities;
	struct sysenter_share share;
};

/* Reads the parts of calls as the module measured them. Returns 0 or a negative errno. */
int sysenter_read(struct sysenter_report *report, struct ktr *ktr, uint64_t session);

/* Returns the ns for entry and exit of an untraced call, which does nothing else. */
double sysenter_cost(const struct sysenter_report *report);

/* Returns the CPU time of the process in ns, without the time that counting added to its calls. */
double sysenter_cpu_time(const struct sysenter_report *report);

/* Returns the share of this time that entries and exits took, from 0 to 1. */
double sysenter_share_of(const struct sysenter_report *report);

void sysenter_table_print(FILE *out, const struct sysenter_report *report);
struct json_object *sysenter_document(const struct sysenter_report *report);

#endif
