// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/json_parts.h"
#include "report/sched_event.h"
#include "report/sched_table.h"
#include "report/stack_frames.h"
#include "report/stack_table.h"

static struct json_object *part_of(const struct sched_part *part)
{
	struct json_object *to = json_object_new_object();

	json_add_u64(to, "count", part->calls);
	json_add_u64(to, "total_ns", part->total_ns);
	json_add_u64(to, "avg_ns", sched_avg(part));
	json_add_u64(to, "max_ns", part->max_ns);
	return to;
}

static void add_figures(struct json_object *to, const struct sched_row *row)
{
	struct sched_part wait = sched_sum(row, SCHED_WAIT);
	uint32_t what;

	json_add_u64(to, "run_ns", sched_sum(row, SCHED_ON_CPU).total_ns);
	json_add_u64(to, "wait_ns", wait.total_ns);
	json_add_u64(to, "blocked_ns", sched_sum(row, SCHED_BLOCKED).total_ns);
	json_add_u64(to, "voluntary", row->parts[KTRACE_SCHED_RUN].calls);
	json_add_u64(to, "involuntary", row->parts[KTRACE_SCHED_RUN_OUT].calls);
	json_add_u64(to, "wait_avg_ns", sched_avg(&wait));
	json_add_u64(to, "wait_max_ns", wait.max_ns);
	for (what = 0; what < KTRACE_NR_SCHED; what++)
		json_add(to, sched_kind(what), part_of(&row->parts[what]));
}

static struct json_object *row_of(const struct sched_row *row)
{
	struct json_object *to = json_object_new_object();

	json_add_u64(to, "tid", row->tid);
	if (row->comm)
		json_add_text(to, "comm", row->comm);
	add_figures(to, row);
	return to;
}

static struct json_object *all_of(const struct sched_rows *rows)
{
	struct json_object *to = json_object_new_object(), *hists = json_object_new_object();
	uint32_t what;

	add_figures(to, &rows->all);
	for (what = 0; what < KTRACE_NR_SCHED; what++)
		json_add(hists, sched_kind(what), json_buckets_of(&rows->hists[what]));
	json_add(to, "histograms", hists);
	return to;
}

static void add_rows(struct json_object *to, const struct sched_rows *rows)
{
	struct json_object *threads = json_object_new_array();
	size_t i;

	for (i = 0; i < rows->nr; i++)
		json_object_array_add(threads, row_of(&rows->rows[i]));
	json_add(to, "threads", threads);
	json_add(to, "all", all_of(rows));
}

struct json_object *json_sched_of(const struct sched_rows *rows)
{
	struct json_object *to = json_object_new_object();

	add_rows(to, rows);
	return to;
}

void json_print_sched(FILE *out, const struct knl_session *session, const struct sched_rows *rows,
		      uint64_t duration_ns, bool is_line)
{
	struct json_object *document = json_gathered_of(session, duration_ns);

	add_rows(document, rows);
	if (rows->stacks)
		json_add(document, "stacks", stack_table_json(rows->stacks));
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}

void json_print_sched_event(FILE *out, const struct event *event, const struct stacks *stacks)
{
	struct sched_event period;
	struct json_object *to;

	sched_event_parse(&period, event);
	to = json_event_of(event, period.comm);
	json_add_text(to, "kind", period.kind);
	json_add_u64(to, "duration_ns", event->duration);
	json_add_event_stack(to, event, stacks, NULL);
	json_write(out, to, 0);
}
