// SPDX-License-Identifier: GPL-2.0
/* JSON output through json-c. Times are in ns. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report/functions.h"
#include "report/head.h"
#include "report/json.h"
#include "report/json_parts.h"
#include "report/record_value.h"
#include "session/session.h"
#include "uapi/ktrace_record.h"
#include "util/mem.h"

void json_print_sessions(FILE *out, const struct knl_session *sessions, size_t nr)
{
	struct json_object *document = head_json(NULL), *list = json_object_new_array();
	uint64_t lost = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		json_object_array_add(list, json_session_of(&sessions[i]));
		lost += session_lost(&sessions[i].counters);
	}
	head_add_lost(document, lost);
	json_add(document, "rows", list);
	json_write(out, document, JSON_C_TO_STRING_PRETTY);
}

/* --- figures ------------------------------------------------------------ */

static void add_bound(struct json_object *to, const struct ktrace_node *bound)
{
	if (!bound)
		return;
	if (bound->calls) {
		json_add(to, "at_most", json_object_new_boolean(1));
		json_add_u64(to, "at_most_calls", bound->calls);
		json_add_u64(to, "at_most_ns", bound->total_ns);
	}
	json_add_u64(to, "at_most_self_ns", bound->self_ns);
}

static struct json_object *tree_of(const struct graph *graph, const struct names *names)
{
	struct json_object *list = json_object_new_array(), *to;
	size_t i;

	for (i = 0; i < graph->nr; i++) {
		to = json_object_new_object();
		json_add_u64(to, "node", graph->nodes[i].node);
		if (graph->nodes[i].parent != KTRACE_NODE_ROOT)
			json_add_u64(to, "parent", graph->nodes[i].parent);
		json_add_text(to, "name", graph_name(&graph->nodes[i], names));
		json_add_u64(to, "calls", graph->nodes[i].calls);
		json_add_u64(to, "total_ns", graph->nodes[i].total_ns);
		json_add_u64(to, "self_ns", graph->nodes[i].self_ns);
		if (graph->nodes[i].marks & KTRACE_NODE_TAIL)
			json_add(to, "tail", json_object_new_boolean(1));
		add_bound(to, graph_bound(graph, &graph->nodes[i]));
		json_object_array_add(list, to);
	}
	return list;
}

void json_print_functions(FILE *out, const struct knl_session *session, bool is_line,
			  const struct table *functions, const struct graph *graph,
			  const struct names *names)
{
	struct json_object *document = json_document_of(session);

	json_add(document, "rows", functions_json(functions));
	if (graph)
		json_add(document, "tree", tree_of(graph, names));
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}

void json_print_list(FILE *out, const struct knl_session *session, bool is_line,
		     struct json_object *list)
{
	struct json_object *document = json_document_of(session);

	json_add(document, "rows", list);
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}

/* --- events ------------------------------------------------------------- */

/* Hexadecimal numbers are strings in JSON. */
static struct json_object *number_of(const struct value *value)
{
	char text[24];

	if (value->format == 'x') {
		snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value->number);
		return json_object_new_string(text);
	}
	return value->format == 'u' ? json_u64(value->number) : json_s64(value->number);
}

/* An incomplete string becomes an object, so that a reader cannot take it for a complete one. */
static struct json_object *value_of(const struct value *value)
{
	struct json_object *text, *to;

	if (value->kind != KTRACE_VALUE_STRING)
		return number_of(value);
	if (value->state == KTRACE_STRING_NULL)
		return NULL;
	to = json_object_new_object();
	if (value->state == KTRACE_STRING_UNREADABLE) {
		json_add(to, "unreadable", json_object_new_boolean(1));
		return to;
	}
	text = json_object_new_string_len(value->text, value->len);
	if (value->state != KTRACE_STRING_CUT) {
		json_object_put(to);
		return text;
	}
	json_add(to, "cut", text);
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
		json_add(to, "args", list);
		return;
	}
	if (json_object_array_length(list))
		json_add(to, "return", json_object_get(json_object_array_get_idx(list, 0)));
	json_object_put(list);
}

void json_print_gap(FILE *out, const struct event *gap)
{
	struct json_object *to = json_object_new_object();

	json_add_text(to, "schema", JSON_EVENT_SCHEMA);
	json_add_text(to, "event", event_kind(gap));
	json_add_u64(to, "time_ns", gap->time);
	json_add_u64(to, "cpu", gap->cpu);
	json_add_u64(to, "missing", gap->duration);
	json_write(out, to, 0);
}

void json_print_event(FILE *out, const struct event *event, const struct names *names)
{
	struct json_object *to;

	if (event->id == EVENT_GAP) {
		json_print_gap(out, event);
		return;
	}
	to = json_object_new_object();
	json_add_text(to, "schema", JSON_EVENT_SCHEMA);
	json_add_text(to, "event", event_kind(event));
	json_add_u64(to, "time_ns", event->time);
	json_add_u64(to, "tid", event->tid);
	if (event->id == EVENT_ENTRY || event->id == EVENT_EXIT) {
		json_add_text(to, "name", names_get(names, event->func));
		json_add_u64(to, "depth", event->depth);
	}
	if (event->id == EVENT_EXIT)
		json_add_u64(to, "duration_ns", event->duration);
	if (event->nr_payload)
		add_values(to, event, names_formats(names, event->func));
	if (event->flags & KTRACE_REC_F_UNWOUND)
		json_add(to, "unwound", json_object_new_boolean(1));
	if (event->flags & KTRACE_REC_F_KILLED)
		json_add(to, "killed", json_object_new_boolean(1));
	if (event->flags & KTRACE_REC_F_INHERITED)
		json_add(to, "inherited", json_object_new_boolean(1));
	if (event->id == EVENT_ENTRY && (event->flags & KTRACE_REC_F_TAIL))
		json_add(to, "tail", json_object_new_boolean(1));
	if (event->id == EVENT_EXIT && (event->flags & KTRACE_REC_F_AT_MOST))
		json_add(to, "at_most", json_object_new_boolean(1));
	if (event->id == EVENT_FORK) {
		json_add_u64(to, "child", event->child);
		json_add_u64(to, "child_pid", event->child_pid);
	}
	if (event->id == EVENT_EXEC)
		json_add_text(to, "program", event->program);
	json_write(out, to, 0);
}

void json_print_end(FILE *out, const struct knl_session *session)
{
	struct json_object *document = head_json("end");

	json_add_text(document, "event", "end");
	head_add_lost(document, session_lost(&session->counters));
	json_add(document, "session", json_session_of(session));
	json_write(out, document, 0);
}
