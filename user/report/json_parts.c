// SPDX-License-Identifier: GPL-2.0
/* The members that all documents have. */
#include <json-c/json.h>

#include "report/head.h"
#include "report/json_parts.h"
#include "session/session.h"

/* --- a session ---------------------------------------------------------- */

static struct json_object *counters_of(const struct ktrace_counters *c)
{
	struct json_object *to = json_object_new_object();

	json_add_u64(to, "hits", c->hits);
	json_add_u64(to, "run_cnt", c->run_cnt);
	json_add_u64(to, "run_ns", c->run_ns);
	json_add_u64(to, "excluded", c->excluded);
	json_add_u64(to, "cost_ns", c->cost_ns);
	json_add_u64(to, "produced", c->produced);
	json_add_u64(to, "acknowledged", c->acknowledged);
	json_add_u64(to, "held", c->held);
	json_add_u64(to, "dropped", c->dropped);
	json_add_u64(to, "dropped_full", c->dropped_full);
	json_add_u64(to, "dropped_overwritten", c->dropped_overwritten);
	json_add_u64(to, "lost_pool", c->lost_pool);
	json_add_u64(to, "lost_depth", c->lost_depth);
	json_add_u64(to, "lost_nested", c->lost_nested);
	json_add_u64(to, "lost_fault", c->lost_fault);
	json_add_u64(to, "lost_tree", c->lost_tree);
	json_add_u64(to, "lost_missed", c->lost_missed);
	json_add_u64(to, "lost_rows", c->lost_rows);
	json_add_u64(to, "lost_stacks", c->lost_stacks);
	json_add_u64(to, "lost_files", c->lost_files);
	json_add_u64(to, "gaps", c->gaps);
	json_add_u64(to, "unmatched", c->unmatched);
	json_add_u64(to, "unwound", c->unwound);
	return to;
}

struct json_object *json_session_of(const struct knl_session *session)
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
	json_add(to, "counters", counters_of(&session->counters));
	return to;
}

struct json_object *json_document_of(const struct knl_session *session)
{
	struct json_object *document = head_json(NULL);

	head_add_lost(document, session_lost(&session->counters));
	json_add(document, "session", json_session_of(session));
	return document;
}
