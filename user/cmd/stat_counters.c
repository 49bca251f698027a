// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <linux/perf_event.h>
#include <linux/version.h>

#include "cmd/stat_counters.h"
#include "system/kernel_version.h"
#include "util/mem.h"

#define PMU_SHIFT 32	/* of the type of a pmu in the config of a hardware event */

static void add_counter(struct stat_counters *counters, enum stat_id id, const struct pmu *pmu)
{
	counters->all = mem_grow(counters->all, counters->nr, sizeof(*counters->all));
	counters->all[counters->nr++] = (struct stat_counter){ .id = id, .pmu = pmu };
}

static void add_counters(struct stat_counters *counters)
{
	enum stat_id id;
	size_t i;

	for (id = 0; id < STAT_NR; id++) {
		if (stat_kinds[id].source == STAT_OF_MODULE)
			continue;
		if (stat_kinds[id].source == STAT_OF_KERNEL || !counters->nr_pmus)
			add_counter(counters, id, NULL);
		for (i = 0; stat_kinds[id].source == STAT_OF_PROCESSOR && i < counters->nr_pmus; i++)
			add_counter(counters, id, &counters->pmus[i]);
	}
}

static struct counter_event event_of(const struct stat_counter *counter)
{
	const struct stat_kind *kind = &stat_kinds[counter->id];
	struct counter_event event = {
		.type = kind->source == STAT_OF_KERNEL ? PERF_TYPE_SOFTWARE : PERF_TYPE_HARDWARE,
		.config = kind->config,
	};

	if (counter->pmu)
		event.config |= (uint64_t)counter->pmu->type << PMU_SHIFT;
	return event;
}

/* Mostly it is a thread of the kernel that moves another one. */
static bool is_of_others(const struct stat_counter *counter, const struct counter_target *target)
{
	return counter->id == STAT_MIGRATIONS && !target->is_cpus &&
	       kernel_version() < KERNEL_VERSION(4, 1, 0);
}

/* A kind of CPUs counts on its own CPUs only. */
static int open_counter(struct stat_counter *counter, const struct counter_target *target)
{
	const struct counter_event event = event_of(counter);
	struct counter_target own = *target;

	if (is_of_others(counter, target))
		return -STAT_OF_OTHERS;
	if (target->is_cpus && counter->pmu) {
		own.ids = counter->pmu->cpus;
		own.nr = counter->pmu->nr_cpus;
	}
	return counter_open(&counter->counter, &event, &own);
}

/* Returns what to try if there is too little for all counters, or NULL. */
static const char *help_for(int error)
{
	switch (-error) {
	case EMFILE:
		return "raise the limit (ulimit -n)";
	case ENFILE:
		return "raise the limit of all processes (sysctl fs.file-max)";
	case ENOMEM:
		return "free memory";
	default:
		return NULL;
	}
}

static void name_pmus(struct stat_counters *counters)
{
	size_t i;

	counters->names = mem_alloc((counters->nr_pmus + 1) * sizeof(*counters->names));
	for (i = 0; i < counters->nr_pmus; i++)
		counters->names[i] = counters->pmus[i].name;
}

int stat_counters_open(struct stat_counters *counters, const struct counter_target *target,
		       const char *pmus_folder, struct err *err)
{
	struct stat_counter *one;
	const char *help;

	memset(counters, 0, sizeof(*counters));
	counters->nr_pmus = pmus_list(&counters->pmus, pmus_folder);
	name_pmus(counters);
	add_counters(counters);
	for (one = counters->all; one < counters->all + counters->nr; one++) {
		one->error = open_counter(one, target);
		help = help_for(one->error);
		if (help)
			return err_set(err, "%zu counters of %zu %s cannot be opened: %s; %s, or choose fewer processes with -p.",
				       counters->nr, target->nr, target->is_cpus ? "CPUs" : "threads",
				       strerror(-one->error), help);
	}
	return 0;
}

void stat_counters_close(struct stat_counters *counters)
{
	size_t i;

	for (i = 0; i < counters->nr; i++)
		counter_close(&counters->all[i].counter);
	free(counters->all);
	free(counters->names);
	pmus_free(counters->pmus, counters->nr_pmus);
	memset(counters, 0, sizeof(*counters));
}

void stat_counters_mark(struct stat_counters *counters)
{
	struct stat_counter *one;

	for (one = counters->all; one < counters->all + counters->nr; one++) {
		one->before = one->now;
		one->now = counter_read(&one->counter);
	}
}

/* Threads only: counters of CPUs have no time on other CPUs. */
static uint64_t others_of(const struct stat_counters *counters, const struct stat_counter *one)
{
	const struct stat_counter *other;
	uint64_t ns = 0;

	for (other = counters->all; other < counters->all + counters->nr; other++)
		if (other != one && other->id == one->id)
			ns += other->now.running_ns - other->before.running_ns;
	return ns;
}

void stat_counters_fill(const struct stat_counters *counters, struct stat_table *table)
{
	const struct stat_counter *one;
	struct stat_row *row;

	for (one = counters->all; one < counters->all + counters->nr; one++) {
		row = stat_find(table, one->id, one->pmu ? one->pmu->name : NULL);
		row->error = one->error;
		row->value = counter_since(&one->now, &one->before);
		row->others_ns = table->is_of_cpus ? 0 : others_of(counters, one);
	}
}
