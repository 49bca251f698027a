// SPDX-License-Identifier: GPL-2.0
/* Documents, through json-c. Times are in ns. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report/functions.h"
#include "report/head.h"
#include "report/json.h"
#include "report/json_parts.h"
#include "session/session.h"
#include "util/mem.h"

struct json_object *sessions_document(const struct knl_session *sessions, size_t nr)
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

struct json_object *functions_document(const struct knl_session *session,
				       const struct table *functions, const struct graph *graph,
				       const struct names *names)
{
	struct json_object *document = json_document_of(session);

	json_add(document, "rows", functions_json(functions));
	if (graph)
		json_add(document, "tree", tree_of(graph, names));
	return document;
}

struct json_object *rows_document(const struct knl_session *session, struct json_object *rows)
{
	struct json_object *document = json_document_of(session);

	json_add(document, "rows", rows);
	return document;
}

/* --- the end of a stream ------------------------------------------------ */

struct json_object *json_end(const struct knl_session *session)
{
	struct json_object *document = head_json("end");

	json_add_text(document, "event", "end");
	head_add_lost(document, session_lost(&session->counters));
	json_add(document, "session", json_session_of(session));
	return document;
}
