// SPDX-License-Identifier: GPL-2.0
/* Single periods of threads: on a CPU, waiting for one, blocked. */
#include <string.h>

#include "report/sched_event.h"
#include "report/sched_table.h"
#include "util/fmt.h"
#include "util/out.h"

void sched_event_parse(struct sched_event *to, const struct event *event)
{
	size_t len = event->nr_payload * sizeof(*event->payload);
	size_t room = sizeof(struct ktrace_period_record);

	memset(to, 0, sizeof(*to));
	memcpy(to->comm, event->payload, len < room ? len : room);
	to->kind = event->func < KTRACE_NR_SCHED ? sched_kind(event->func) : "unknown";
}

void sched_event_print(FILE *out, const struct event *event, uint64_t start_ns)
{
	char duration[FMT_LEN];
	struct sched_event period;

	sched_event_parse(&period, event);
	out_put(out, "%12.6f %7u %-15s %10s  %s\n", (int64_t)(event->time - start_ns) / 1e9,
		event->tid, period.comm, fmt_duration(duration, event->duration), period.kind);
}
