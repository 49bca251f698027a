// SPDX-License-Identifier: GPL-2.0
/* Single periods of threads: on a CPU, waiting for one, blocked. */
#include <string.h>

#include "report/sched_event.h"
#include "report/sched_table.h"
#include "util/fmt.h"
#include "util/out.h"
#include "util/style.h"

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
	char moment[STYLE_MOMENT_LEN], duration[FMT_LEN];
	struct sched_event period;

	sched_event_parse(&period, event);
	out_put(out, "%*s %7u %-15s %8s  %s\n", style_moment_width(6),
		style_moment(moment, event->time, start_ns, 6), event->tid, period.comm, fmt_duration(duration, event->duration), period.kind);
}
