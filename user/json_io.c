// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "io_table.h"
#include "json_parts.h"
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

void json_print_io(FILE *out, const struct knl_session *session, const struct io_rows *rows,
		   uint64_t duration_ns, bool is_line)
{
	struct json_object *document = json_object_new_object(), *list = json_object_new_array();
	size_t i;

	for (i = 0; i < rows->nr; i++)
		json_object_array_add(list, row_of(&rows->rows[i]));
	json_add_text(document, "ktrace", KTRACE_VERSION);
	json_add_complete(document, session);
	json_add(document, "session", json_session_of(session));
	json_add_u64(document, "duration_ns", duration_ns);
	json_add(document, "block", list);
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}
