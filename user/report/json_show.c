// SPDX-License-Identifier: GPL-2.0
/* What ktrace ctl show shows of a session, as JSON. */
#include <stdio.h>

#include <json-c/json.h>

#include "report/head.h"
#include "report/json_parts.h"
#include "report/show.h"
#include "session/costs.h"
#include "session/session.h"

static void show_add_number(struct json_object *to, const char *key, double value)
{
	char text[64];

	snprintf(text, sizeof(text), "%.3f", value);
	json_add(to, key, json_number(text));
}

static struct json_object *show_cost_json(const struct show *show)
{
	const struct ktrace_counters *c = &show->session->counters;
	uint64_t nr = c->hits + c->excluded;
	struct json_object *to = json_object_new_object();

	json_add(to, "with_trap",
		 json_object_new_boolean(costs_are_whole(show->costs, show->session)));
	show_add_number(to, "hit_ns", nr ? costs_of(show->costs, show->session) / nr : 0);
	show_add_number(to, "percent_of_cpu", costs_share(show->costs, NULL, show->session));
	return to;
}

static struct json_object *show_now_json(const struct show_now *now)
{
	struct json_object *to = json_object_new_object();

	show_add_number(to, "hits_per_s", now->hits_per_s);
	show_add_number(to, "percent_of_cpu", now->percent);
	if (now->percent_of_processes > 0) {
		show_add_number(to, "percent_of_processes", now->percent_of_processes);
		json_add_u64(to, "processes", now->nr_processes);
	}
	return to;
}

static struct json_object *show_out_json(const struct show *show)
{
	struct json_object *list = json_object_new_array(), *to;
	const struct ktrace_taken_out *note;
	size_t i;

	for (i = 0; i < show->out.nr; i++) {
		note = &show->out.funcs[i].taken_out;
		to = json_object_new_object();
		json_add_text(to, "name", names_get(&show->names, show->out.funcs[i].func));
		json_add_u64(to, "monotonic_ns", note->time);
		json_add_u64(to, "calls", note->calls);
		json_add_u64(to, "cost_ns", note->cost_ns);
		json_add_u64(to, "moment_ns", note->moment_ns);
		json_object_array_add(list, to);
	}
	return list;
}

static struct json_object *show_sinks_json(uint32_t sinks)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < SESSION_NR_SINKS; i++)
		if (sinks & session_sinks[i].sink)
			json_object_array_add(list, json_object_new_string(session_sinks[i].name));
	return list;
}

struct json_object *show_document(const struct show *show)
{
	struct json_object *document = head_json(NULL), *list = json_object_new_array();
	struct json_object *row = json_session_of(show->session);

	json_add(row, "keeps", show_sinks_json(show->session->sinks));
	json_add_u64(row, "module_memory_bytes", show->session->mem);
	if (!(show->session->sinks & KTRACE_SINK_COUNT))
		json_add(row, "cost", show_cost_json(show));
	if (show->now.is_known)
		json_add(row, "now", show_now_json(&show->now));
	if (show->session->budget)
		json_add(row, "taken_out", show_out_json(show));
	json_object_array_add(list, row);
	head_add_lost(document, session_lost(&show->session->counters));
	json_add(document, "rows", list);
	return document;
}
