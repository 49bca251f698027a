// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <linux/perf_event.h>

#include "report/sample_event.h"
#include "util/mem.h"

static const struct {
	const char *name;
	uint32_t type;
	uint64_t config;
} events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
};

void sample_event_set(struct ktrace_sample_event *event, const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++) {
		if (strcmp(events[i].name, name))
			continue;
		event->type = events[i].type;
		event->config = events[i].config;
	}
}

const char *sample_event_name(const struct ktrace_sample_event *event)
{
	size_t i;

	for (i = 0; i < sizeof(events) / sizeof(*events); i++)
		if (events[i].type == event->type && events[i].config == event->config)
			return events[i].name;
	return "other events";
}
