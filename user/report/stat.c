// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>

#include "report/stat.h"
#include "util/clock.h"
#include "util/mem.h"

#define RATE .quotient = STAT_PER_SECOND, .unit = "/s"

const struct stat_kind stat_kinds[STAT_NR] = {
	[STAT_TASK_CLOCK] = {
		"task-clock", .is_time = true, .quotient = STAT_PER_TIME, .unit = "CPUs used",
	},
	[STAT_SWITCHES] = { "context-switches", RATE },
	[STAT_VOLUNTARY] = { "voluntary-switches", RATE },
	[STAT_INVOLUNTARY] = { "involuntary-switches", RATE },
	[STAT_WAIT] = {
		"run-queue-wait", .is_time = true, .quotient = STAT_PER_TIME,
		.unit = "threads waiting",
	},
	[STAT_WAIT_MAX] = { "longest-wait", .is_time = true, .is_longest = true },
	[STAT_MIGRATIONS] = {
		"cpu-migrations", STAT_OF_KERNEL, PERF_COUNT_SW_CPU_MIGRATIONS, RATE,
	},
	[STAT_FAULTS] = { "page-faults", STAT_OF_KERNEL, PERF_COUNT_SW_PAGE_FAULTS, RATE },
	[STAT_MINOR] = { "minor-faults", STAT_OF_KERNEL, PERF_COUNT_SW_PAGE_FAULTS_MIN, RATE },
	[STAT_MAJOR] = { "major-faults", STAT_OF_KERNEL, PERF_COUNT_SW_PAGE_FAULTS_MAJ, RATE },
	[STAT_SYSCALLS] = { "system-calls", RATE },
	[STAT_FAILED] = {
		"failed-calls", .quotient = STAT_PERCENT_OF_OTHER, .of = STAT_SYSCALLS,
		.unit = "% of system calls",
	},
	[STAT_CYCLES] = {
		"cycles", STAT_OF_PROCESSOR, PERF_COUNT_HW_CPU_CYCLES,
		.quotient = STAT_PER_OTHER, .of = STAT_TASK_CLOCK, .unit = "GHz",
	},
	[STAT_INSTRUCTIONS] = {
		"instructions", STAT_OF_PROCESSOR, PERF_COUNT_HW_INSTRUCTIONS,
		.quotient = STAT_PER_OTHER, .of = STAT_CYCLES, .unit = "per cycle",
	},
	[STAT_BRANCHES] = {
		"branches", STAT_OF_PROCESSOR, PERF_COUNT_HW_BRANCH_INSTRUCTIONS, RATE,
	},
	[STAT_BRANCH_MISSES] = {
		"branch-misses", STAT_OF_PROCESSOR, PERF_COUNT_HW_BRANCH_MISSES,
		.quotient = STAT_PERCENT_OF_OTHER, .of = STAT_BRANCHES, .unit = "% of branches",
	},
	[STAT_CACHE_REFERENCES] = {
		"cache-references", STAT_OF_PROCESSOR, PERF_COUNT_HW_CACHE_REFERENCES, RATE,
	},
	[STAT_CACHE_MISSES] = {
		"cache-misses", STAT_OF_PROCESSOR, PERF_COUNT_HW_CACHE_MISSES,
		.quotient = STAT_PERCENT_OF_OTHER, .of = STAT_CACHE_REFERENCES,
		.unit = "% of cache references",
	},
	[STAT_ELAPSED] = { "elapsed", .is_time = true },
};

/* --- rows ----------------------------------------------------------------------- */

static void add_row(struct stat_table *table, enum stat_id id, const char *pmu)
{
	table->rows = mem_grow(table->rows, table->nr, sizeof(*table->rows));
	table->rows[table->nr++] = (struct stat_row){ .id = id, .pmu = pmu };
}

void stat_init(struct stat_table *table, char *const *pmus, size_t nr_pmus)
{
	enum stat_id id;
	size_t i;

	memset(table, 0, sizeof(*table));
	for (id = 0; id < STAT_NR; id++) {
		if (stat_kinds[id].source != STAT_OF_PROCESSOR || !nr_pmus)
			add_row(table, id, NULL);
		for (i = 0; stat_kinds[id].source == STAT_OF_PROCESSOR && i < nr_pmus; i++)
			add_row(table, id, pmus[i]);
	}
}

void stat_free(struct stat_table *table)
{
	free(table->rows);
	memset(table, 0, sizeof(*table));
}

struct stat_row *stat_find(const struct stat_table *table, enum stat_id id, const char *pmu)
{
	struct stat_row *row;

	for (row = table->rows; row < table->rows + table->nr; row++)
		if (row->id == id && (!row->pmu || (pmu && !strcmp(row->pmu, pmu))))
			return row;
	return NULL;
}

void stat_add(struct stat_table *to, const struct stat_table *from)
{
	struct counter_value *sum;
	const struct counter_value *one;
	size_t i;

	for (i = 0; i < to->nr && i < from->nr; i++) {
		sum = &to->rows[i].value;
		one = &from->rows[i].value;
		to->rows[i].error = from->rows[i].error;
		sum->enabled_ns += one->enabled_ns;
		sum->running_ns += one->running_ns;
		to->rows[i].others_ns += from->rows[i].others_ns;
		if (!stat_kinds[to->rows[i].id].is_longest)
			sum->count += one->count;
		else if (one->count > sum->count)
			sum->count = one->count;
	}
	to->duration_ns += from->duration_ns;
}

/* --- figures of the module -------------------------------------------------------- */

static uint64_t *count_of(struct stat_table *table, enum stat_id id)
{
	return &stat_find(table, id, NULL)->value.count;
}

static void take_period(void *arg, const struct ktr_row *row)
{
	uint64_t calls = ktr_row_figure(row, KTRACE_FIGURE_CALLS);
	uint64_t total = ktr_row_figure(row, KTRACE_FIGURE_TOTAL);
	uint64_t max = ktr_row_figure(row, KTRACE_FIGURE_MAX);
	struct stat_table *table = arg;
	uint64_t *longest;

	if (row->is_head)
		return;
	switch (ktr_row_key(row, KTRACE_KEY_PERIOD)) {
	case KTRACE_SCHED_RUN:
		*count_of(table, STAT_VOLUNTARY) += calls;
		*count_of(table, STAT_TASK_CLOCK) += total;
		break;
	case KTRACE_SCHED_RUN_OUT:
		*count_of(table, STAT_INVOLUNTARY) += calls;
		*count_of(table, STAT_TASK_CLOCK) += total;
		break;
	case KTRACE_SCHED_RUN_CUT:
		*count_of(table, STAT_TASK_CLOCK) += total;
		break;
	case KTRACE_SCHED_WAKEUP:
	case KTRACE_SCHED_PREEMPTED:
		*count_of(table, STAT_WAIT) += total;
		longest = count_of(table, STAT_WAIT_MAX);
		*longest = max > *longest ? max : *longest;
		break;
	}
}

static void take_syscall(void *arg, const struct ktr_row *row)
{
	struct stat_table *table = arg;

	if (row->is_head)
		return;
	*count_of(table, STAT_SYSCALLS) += ktr_row_figure(row, KTRACE_FIGURE_CALLS);
	*count_of(table, STAT_FAILED) += ktr_row_figure(row, KTRACE_FIGURE_ERRORS);
}

int stat_read(struct stat_table *table, struct ktr *ktr, uint64_t sched, uint64_t syscalls,
	      uint32_t read_flags)
{
	int error = ktr_row_each(ktr, sched, read_flags, take_period, table);

	return error ? error : ktr_row_each(ktr, syscalls, read_flags, take_syscall, table);
}

void stat_finish(struct stat_table *table)
{
	*count_of(table, STAT_SWITCHES) = *count_of(table, STAT_VOLUNTARY) +
					  *count_of(table, STAT_INVOLUNTARY);
	*count_of(table, STAT_ELAPSED) = table->duration_ns;
}

/* --- values ----------------------------------------------------------------------- */

/* A thread that did not run had no migrations and no faults: a software event is then 0. */
bool stat_is_counted(const struct stat_row *row)
{
	return !row->error &&
	       (stat_kinds[row->id].source != STAT_OF_PROCESSOR || row->value.running_ns);
}

/*
 * A thread is counted by one kind of CPUs at a time. So only the time in which no kind has counted
 * the event is missing.
 */
static struct counter_value value_of_all(const struct stat_row *row)
{
	struct counter_value value = row->value;

	value.running_ns += row->others_ns;
	return value;
}

uint64_t stat_value(const struct stat_row *row)
{
	const struct counter_value value = value_of_all(row);

	return counter_scaled(&value);
}

static double part_of(double part, double whole)
{
	return whole > 0 ? part / whole : -1;
}

/* How long threads ran on one kind of CPUs is known from the counter alone. */
static double per_time_of_pmu(const struct stat_table *table, const struct stat_row *row)
{
	return table->is_of_cpus ? -1 : part_of(row->value.count, row->value.running_ns);
}

double stat_quotient(const struct stat_table *table, const struct stat_row *row)
{
	const struct stat_kind *kind = &stat_kinds[row->id];
	const struct stat_row *of;
	double value;

	if (!stat_is_counted(row) || kind->quotient == STAT_ALONE)
		return -1;
	value = stat_value(row);
	if (kind->quotient == STAT_PER_SECOND)
		return part_of(value * CLOCK_SECOND, table->duration_ns);
	if (kind->quotient == STAT_PER_TIME)
		return part_of(value, table->duration_ns);
	if (kind->of == STAT_TASK_CLOCK && row->pmu)
		return per_time_of_pmu(table, row);
	of = stat_find(table, kind->of, row->pmu);
	if (!of || !stat_is_counted(of))
		return -1;
	return part_of(value * (kind->quotient == STAT_PERCENT_OF_OTHER ? 100 : 1),
		       stat_value(of));
}

double stat_running(const struct stat_row *row)
{
	const struct counter_value value = value_of_all(row);

	return value.enabled_ns > value.running_ns ?
	       100.0 * value.running_ns / value.enabled_ns : 100;
}

const char *stat_reason(int error)
{
	switch (-error) {
	case ENOENT:
	case ENXIO:
	case EOPNOTSUPP:
		return "the processor of this machine has no such counters, as in most virtual machines";
	case ENODEV:
		return "a CPU has no such counters, or was switched off while they were opened";
	case EACCES:
	case EPERM:
		return "perf_event_open(2) is not permitted here; a security module or a container's seccomp filter can be the cause";
	case ENOSYS:
		return "this kernel has no perf_event_open(2)";
	case STAT_OF_OTHERS:
		return "before Linux 4.1 a migration counts for the thread that moves another one";
	case EBUSY:
		return "others use the counters: the NMI watchdog (sysctl kernel.nmi_watchdog), or another tool";
	default:
		return strerror(-error);
	}
}
