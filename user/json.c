// SPDX-License-Identifier: GPL-2.0
/* Machine-readable output, by json-c. Times are in ns. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "../include/uapi/ktrace_record.h"
#include "json.h"
#include "mem.h"
#include "session.h"
#include "value.h"
#include "version.h"

static void add(struct json_object *to, const char *key, struct json_object *value)
{
	json_object_object_add(to, key, value);
}

/* json-c of old has no unsigned type; no figure here reaches 2^63. */
static void add_u64(struct json_object *to, const char *key, uint64_t value)
{
	add(to, key, json_object_new_int64(value > INT64_MAX ? INT64_MAX : value));
}

static void add_text(struct json_object *to, const char *key, const char *text)
{
	add(to, key, json_object_new_string(text));
}

static void print(FILE *out, struct json_object *document, int flags)
{
	fprintf(out, "%s\n", json_object_to_json_string_ext(document, flags |
						JSON_C_TO_STRING_NOSLASHESCAPE));
	json_object_put(document);
}

/* --- a session ---------------------------------------------------------- */

static struct json_object *counters_of(const struct ktrace_counters *c)
{
	struct json_object *to = json_object_new_object();

	add_u64(to, "hits", c->hits);
	add_u64(to, "run_cnt", c->run_cnt);
	add_u64(to, "run_ns", c->run_ns);
	add_u64(to, "produced", c->produced);
	add_u64(to, "acknowledged", c->acknowledged);
	add_u64(to, "held", c->held);
	add_u64(to, "dropped", c->dropped);
	add_u64(to, "dropped_full", c->dropped_full);
	add_u64(to, "dropped_overwritten", c->dropped_overwritten);
	add_u64(to, "lost_pool", c->lost_pool);
	add_u64(to, "lost_depth", c->lost_depth);
	add_u64(to, "lost_nested", c->lost_nested);
	add_u64(to, "lost_fault", c->lost_fault);
	add_u64(to, "lost_tree", c->lost_tree);
	add_u64(to, "gaps", c->gaps);
	add_u64(to, "unmatched", c->unmatched);
	add_u64(to, "unwound", c->unwound);
	return to;
}

static struct json_object *session_of(const struct knl_session *session)
{
	struct json_object *to = json_object_new_object();

	add_u64(to, "id", session->id);
	if (session->name[0])
		add_text(to, "name", session->name);
	add_text(to, "state", session_state(session->state));
	add_u64(to, "functions", session->nr_used);
	add_u64(to, "room", session->nr_funcs - session->nr_used);
	add_u64(to, "sites", session->nr_sites);
	add_u64(to, "failed", session->nr_failed);
	add_u64(to, "started_realtime_ns", session->start.realtime);
	add_u64(to, "started_monotonic_ns", session->start.monotonic);
	add_u64(to, "age_ns", session->now.monotonic - session->start.monotonic);
	add(to, "counters", counters_of(&session->counters));
	return to;
}

static void add_complete(struct json_object *to, const struct knl_session *session)
{
	add(to, "complete", json_object_new_boolean(!session_lost(&session->counters)));
}

void json_print_sessions(FILE *out, const struct knl_session *sessions, size_t nr)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < nr; i++)
		json_object_array_add(list, session_of(&sessions[i]));
	print(out, list, JSON_C_TO_STRING_PRETTY);
}

/* --- figures ------------------------------------------------------------ */

static struct json_object *buckets_of(const struct hist *hist)
{
	struct json_object *list = json_object_new_array(), *bucket;
	size_t i;

	for (i = 0; i < hist->nr; i++) {
		bucket = json_object_new_object();
		add_u64(bucket, "from_ns", hist_low(hist->buckets[i].index));
		add_u64(bucket, "below_ns", hist_high(hist->buckets[i].index));
		add_u64(bucket, "count", hist->buckets[i].count);
		json_object_array_add(list, bucket);
	}
	return list;
}

static struct json_object *row_of(const struct row *row)
{
	struct json_object *to = json_object_new_object();
	const struct ktrace_stats *stats = &row->stats;

	add_text(to, "name", row->name);
	if (row->tid)
		add_u64(to, "tid", row->tid);
	add_u64(to, "entries", stats->entries);
	add_u64(to, "calls", stats->calls);
	if (row->error)
		add_text(to, "error", strerror(-row->error));
	if (!stats->calls)
		return to;
	add_u64(to, "total_ns", stats->total_ns);
	add_u64(to, "self_ns", stats->self_ns);
	add_u64(to, "avg_ns", (stats->sum_ns + stats->calls / 2) / stats->calls);
	add_u64(to, "min_ns", stats->min_ns);
	add_u64(to, "max_ns", stats->max_ns);
	add_u64(to, "p50_ns", hist_percentile(&row->hist, 500));
	add_u64(to, "p90_ns", hist_percentile(&row->hist, 900));
	add_u64(to, "p99_ns", hist_percentile(&row->hist, 990));
	add_u64(to, "p999_ns", hist_percentile(&row->hist, 999));
	add(to, "histogram", buckets_of(&row->hist));
	return to;
}

static struct json_object *functions_of(const struct rows *rows)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < rows->nr; i++)
		json_object_array_add(list, row_of(&rows->rows[i]));
	return list;
}

static struct json_object *tree_of(const struct graph *graph, const struct names *names)
{
	struct json_object *list = json_object_new_array(), *to;
	size_t i;

	for (i = 0; i < graph->nr; i++) {
		to = json_object_new_object();
		add_u64(to, "node", graph->nodes[i].node);
		if (graph->nodes[i].parent != KTRACE_NODE_ROOT)
			add_u64(to, "parent", graph->nodes[i].parent);
		add_text(to, "name", graph_name(&graph->nodes[i], names));
		add_u64(to, "calls", graph->nodes[i].calls);
		add_u64(to, "total_ns", graph->nodes[i].total_ns);
		add_u64(to, "self_ns", graph->nodes[i].self_ns);
		json_object_array_add(list, to);
	}
	return list;
}

void json_print(FILE *out, const struct knl_session *session, const struct rows *rows,
		const struct graph *graph, const struct names *names)
{
	struct json_object *document = json_object_new_object();

	add_text(document, "ktrace", KTRACE_VERSION);
	add_complete(document, session);
	add(document, "session", session_of(session));
	add(document, "functions", functions_of(rows));
	if (graph)
		add(document, "tree", tree_of(graph, names));
	print(out, document, JSON_C_TO_STRING_PRETTY);
}

/* --- events ------------------------------------------------------------- */

/* A number as it is: json-c's own end at 2^63. Hexadecimal ones are text in JSON. */
static struct json_object *number_of(const struct value *value)
{
	struct json_object *to;
	char text[24];

	if (value->format == 'x') {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value->number);
		return json_object_new_string(text);
	}
	if (value->format != 'u' || value->number <= INT64_MAX)
		return json_object_new_int64(value->number);
	snprintf(text, sizeof(text), "%llu", (unsigned long long)value->number);
	to = json_object_new_double(value->number);
	json_object_set_serializer(to, json_object_userdata_to_json_string, mem_string(text),
				   json_object_free_userdata);
	return to;
}

/* A string that is not whole is an object, so that nobody takes it for one that is. */
static struct json_object *value_of(const struct value *value)
{
	struct json_object *text, *to;
	char *copy;

	if (value->kind != KTRACE_VALUE_STRING)
		return number_of(value);
	if (value->state == KTRACE_STRING_NULL)
		return NULL;
	to = json_object_new_object();
	if (value->state == KTRACE_STRING_UNREADABLE) {
		add(to, "unreadable", json_object_new_boolean(1));
		return to;
	}
	copy = value_utf8(value->text, value->len);
	text = json_object_new_string(copy);
	free(copy);
	if (value->state != KTRACE_STRING_CUT) {
		json_object_put(to);
		return text;
	}
	add(to, "cut", text);
	return to;
}

static void add_values(struct json_object *to, const struct event *event,
		       const struct value_formats *formats)
{
	struct json_object *list = json_object_new_array();
	struct value_place place = { 0, 0 };
	struct value value;

	while (value_next(event, formats, &place, &value))
		json_object_array_add(list, value_of(&value));
	if (event->id == EVENT_ENTRY) {
		add(to, "args", list);
		return;
	}
	if (json_object_array_length(list))
		add(to, "return", json_object_get(json_object_array_get_idx(list, 0)));
	json_object_put(list);
}

void json_print_event(FILE *out, const struct event *event, const struct names *names)
{
	struct json_object *to = json_object_new_object();

	add_text(to, "event", event_kind(event));
	add_u64(to, "time_ns", event->time);
	if (event->id == EVENT_GAP) {
		add_u64(to, "cpu", event->cpu);
		add_u64(to, "missing", event->duration);
		print(out, to, 0);
		return;
	}
	add_u64(to, "tid", event->tid);
	if (event->id == EVENT_ENTRY || event->id == EVENT_EXIT) {
		add_text(to, "name", names_get(names, event->func));
		add_u64(to, "depth", event->depth);
	}
	if (event->id == EVENT_EXIT)
		add_u64(to, "duration_ns", event->duration);
	if (event->nr_payload)
		add_values(to, event, names_formats(names, event->func));
	if (event->flags & KTRACE_REC_F_UNWOUND)
		add(to, "unwound", json_object_new_boolean(1));
	if (event->flags & KTRACE_REC_F_KILLED)
		add(to, "killed", json_object_new_boolean(1));
	if (event->flags & KTRACE_REC_F_INHERITED)
		add(to, "inherited", json_object_new_boolean(1));
	if (event->id == EVENT_FORK) {
		add_u64(to, "child", event->child);
		add_u64(to, "child_pid", event->child_pid);
	}
	if (event->id == EVENT_EXEC)
		add_text(to, "program", event->program);
	print(out, to, 0);
}

void json_print_end(FILE *out, const struct knl_session *session)
{
	struct json_object *document = json_object_new_object();

	add_text(document, "event", "end");
	add_complete(document, session);
	add(document, "session", session_of(session));
	print(out, document, 0);
}
