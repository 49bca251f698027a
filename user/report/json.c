// SPDX-License-Identifier: GPL-2.0
/* Documents, through json-c. Times are in ns. */
#include <stddef.h>
#include <string.h>

#include <json-c/json.h>

#include "report/head.h"
#include "report/json.h"
#include "report/json_write.h"
#include "report/layout.h"
#include "session/session.h"

/* --- a session ---------------------------------------------------------- */

#define C(name) { #name, offsetof(struct ktrace_counters, name) }

static const struct {
	const char *name;
	size_t at;
} counters[] = {
	C(hits), C(run_cnt), C(run_ns), C(excluded), C(cost_ns), C(produced),
	C(acknowledged), C(held), C(dropped), C(dropped_full), C(dropped_overwritten),
	C(after_trigger), C(missed_samples),
	C(lost_pool), C(lost_depth), C(lost_nested), C(lost_fault), C(lost_tree),
	C(lost_missed), C(lost_rows), C(lost_stacks), C(lost_files), C(gaps), C(unmatched),
	C(unwound),
};

void json_take_counter(struct ktrace_counters *to, const char *name, uint64_t value)
{
	size_t i;

	for (i = 0; i < sizeof(counters) / sizeof(*counters); i++)
		if (!strcmp(counters[i].name, name))
			memcpy((char *)to + counters[i].at, &value, sizeof(value));
}

struct json_object *json_counters_of(const struct ktrace_counters *of)
{
	struct json_object *to = json_object_new_object();
	uint64_t value;
	size_t i;

	for (i = 0; i < sizeof(counters) / sizeof(*counters); i++) {
		memcpy(&value, (const char *)of + counters[i].at, sizeof(value));
		json_add_u64(to, counters[i].name, value);
	}
	return to;
}

struct json_object *json_session_of(const struct ktr_session *session)
{
	struct json_object *to = json_object_new_object();

	json_add_u64(to, "id", session->id);
	if (session->name[0])
		json_add_text(to, "name", session->name);
	json_add_text(to, "state", session_state(session->state));
	json_add_u64(to, "functions", session->nr_used);
	json_add_u64(to, "room", session->nr_funcs - session->nr_used);
	json_add_u64(to, "sites", session->nr_sites);
	json_add_u64(to, "failed", session->nr_failed);
	json_add_u64(to, "started_realtime_ns", session->start.realtime);
	json_add_u64(to, "started_monotonic_ns", session->start.monotonic);
	json_add_u64(to, "age_ns", session->now.monotonic - session->start.monotonic);
	if (session->is_selective)
		json_add_u64(to, "processes", session->nr_left);
	if (session->has_left)
		json_add_u64(to, "ends_in_ns", session->left);
	if (session->budget)
		json_add_u64(to, "budget_thousandths_of_cpu", session->budget);
	json_add(to, "counters", json_counters_of(&session->counters));
	return to;
}

struct json_object *json_document_of(const struct ktr_session *session)
{
	struct json_object *document = head_json(NULL);

	head_add_lost(document, session_lost(&session->counters));
	json_add(document, "session", json_session_of(session));
	return document;
}

struct json_object *sessions_document(const struct ktr_session *sessions, size_t nr)
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
	return document;
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

/* The members that a node has from the row of its function. */
static const struct column of_row[] = { OBSERVATION };
static const struct layout row_layout = { COLUMNS(of_row) };

static struct json_object *tree_of(const struct graph *graph, const struct table *functions,
				   const struct names *names)
{
	struct json_object *list = json_object_new_array(), *to;
	const struct row *row;
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
		row = graph_row(graph, graph->nodes[i].func);
		if (row)
			table_add_members(to, functions, row, &row_layout);
		json_object_array_add(list, to);
	}
	return list;
}

struct json_object *functions_document(const struct ktr_session *session,
				       const struct table *functions, const struct graph *graph,
				       const struct names *names)
{
	struct json_object *document = json_document_of(session);

	json_add_table(document, "rows", functions);
	if (graph)
		json_add(document, "tree", tree_of(graph, functions, names));
	return document;
}

struct json_object *tables_document(const struct ktr_session *session,
				    const struct json_table *tables, size_t nr)
{
	struct json_object *document = json_document_of(session);
	const struct json_table *at;

	for (at = tables; at < tables + nr; at++)
		if (at->table)
			json_add_table(document, at->name, at->table);
	return document;
}

/* --- the end of a stream ------------------------------------------------ */

struct json_object *json_end(const struct ktr_session *session)
{
	struct json_object *document = head_json("end");

	json_add_text(document, "event", "end");
	head_add_lost(document, session_lost(&session->counters));
	json_add(document, "session", json_session_of(session));
	return document;
}
