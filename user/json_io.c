// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <stdlib.h>

#include "io_figures.h"
#include "json_parts.h"
#include "sched_table.h"
#include "session.h"
#include "syscall_table.h"
#include "version.h"

static struct json_object *stage_of(const struct io_stage *stage)
{
	struct json_object *to = json_object_new_object();
	const struct ktrace_stats *stats = &stage->stats;

	json_add_u64(to, "requests", stats->calls);
	json_add_u64(to, "total_ns", stats->total_ns);
	json_add_u64(to, "min_ns", stats->min_ns);
	json_add_u64(to, "max_ns", stats->max_ns);
	json_add_u64(to, "p50_ns", io_percentile(stage, 500));
	json_add_u64(to, "p90_ns", io_percentile(stage, 900));
	json_add_u64(to, "p99_ns", io_percentile(stage, 990));
	json_add_u64(to, "p999_ns", io_percentile(stage, 999));
	json_add(to, "histogram", json_buckets_of(&stage->hist));
	return to;
}

static struct json_object *row_of(const struct io_row *row)
{
	struct json_object *to = json_object_new_object(), *stages = json_object_new_object();
	const struct ktrace_stats *all = io_requests(row);
	char number[DISK_NAME_LEN];
	int stage;

	json_add_text(to, "disk", row->disk);
	if (row->has_dev)
		json_add_text(to, "dev", disk_number(number, row->dev));
	json_add_text(to, "operation", io_op_name(row->op));
	json_add_u64(to, "requests", all->calls);
	json_add_u64(to, "errors", all->errors);
	json_add_u64(to, "bytes", all->bytes);
	json_add_u64(to, "total_ns", all->total_ns);
	for (stage = 0; stage < IO_NR_STAGES; stage++)
		json_add(stages, io_stage_name(stage), stage_of(&row->stages[stage]));
	json_add(to, "stages", stages);
	return to;
}

static struct json_object *block_of(const struct io_rows *rows)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < rows->nr; i++)
		json_object_array_add(list, row_of(&rows->rows[i]));
	return list;
}

/* --- layers ----------------------------------------------------------------- */

static struct json_object *functions_of(const struct io_figures *figures, enum io_layer layer)
{
	struct rows some = io_functions_of(figures, layer);
	struct json_object *list = json_functions_of(&some);

	free(some.rows);
	return list;
}

static struct json_object *layer_of(const struct io_figures *figures, enum io_layer layer)
{
	switch (io_kind_of(layer)) {
	case IO_KIND_SYSCALLS:
		return json_syscalls_of(&figures->syscalls, false);
	case IO_KIND_SCHED:
		return json_sched_of(&figures->sched);
	case IO_KIND_BLOCK:
		return block_of(&figures->block);
	default:
		return functions_of(figures, layer);
	}
}

static void add_sessions(struct json_object *to, const struct io_figures *figures)
{
	static const char *const names[IO_NR_KINDS] = {
		"syscall", "functions", "sched", "block"
	};
	struct json_object *sessions = json_object_new_object();
	bool is_complete = true;
	int kind;

	for (kind = 0; kind < IO_NR_KINDS; kind++) {
		if (!figures->sessions[kind])
			continue;
		is_complete &= !session_lost(&figures->sessions[kind]->counters);
		json_add(sessions, names[kind], json_session_of(figures->sessions[kind]));
	}
	json_add(to, "complete", json_object_new_boolean(is_complete));
	json_add(to, "sessions", sessions);
}

void json_print_io(FILE *out, const struct io_figures *figures, bool is_line)
{
	struct json_object *document = json_object_new_object();
	int layer;

	json_add_text(document, "ktrace", KTRACE_VERSION);
	add_sessions(document, figures);
	json_add_u64(document, "duration_ns", figures->duration_ns);
	for (layer = 0; layer < IO_NR_LAYERS; layer++)
		if (figures->layers->is_on[layer])
			json_add(document, io_layer_name(layer), layer_of(figures, layer));
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}
