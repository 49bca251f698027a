/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYSENTER_TABLE_H
#define SYSENTER_TABLE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "nl/nl.h"
#include "system/vulnerabilities.h"
#include "uapi/ktrace.h"

/* Of some calls, ns. nr 0: it was not measured. */
struct sysenter_figure {
	uint64_t nr;
	double min, median, p99, mean;
};

/* A process's system calls, and its time on the CPU meanwhile. */
struct sysenter_share {
	int32_t pid;		/* 0: of none */
	char comm[16];
	uint64_t calls, wall_ns, cpu_ns;
	bool is_ended;		/* it ended before its time was over */
};

struct sysenter_report {
	int cpu;
	bool is_emulated;
	uint64_t lost;
	struct sysenter_figure untraced, traced, counted; /* whole calls; counted: by -p */
	struct sysenter_figure parts[KTRACE_NR_SYSENTER];
	double clock_ns;	/* what reading the clock takes: in each of these once */
	double ghz;		/* cycles of that clock in a ns */
	struct vulnerabilities vulnerabilities;
	struct sysenter_share share;
};

/* The parts of calls, as the module measured them: in cycles. 0 or a negative errno. */
int sysenter_read(struct sysenter_report *report, struct knl *nl, uint64_t session);

/* Entry and exit of an untraced call, ns: it does nothing else. */
double sysenter_cost(const struct sysenter_report *report);

/* The process's CPU time without what was added by counting its calls, ns. */
double sysenter_cpu_time(const struct sysenter_report *report);

/* Of that, what went into entries and exits: 0 to 1. */
double sysenter_share_of(const struct sysenter_report *report);

void sysenter_table_print(FILE *out, const struct sysenter_report *report);
void json_print_sysenter(FILE *out, const struct sysenter_report *report);

#endif
