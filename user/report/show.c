// SPDX-License-Identifier: GPL-2.0
/* What ktrace ctl show shows of a session. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <json-c/json.h>

#include "report/chosen.h"
#include "report/head.h"
#include "report/json.h"
#include "report/json_write.h"
#include "report/key_names.h"
#include "report/show.h"
#include "session/costs.h"
#include "session/session.h"
#include "util/fmt.h"
#include "util/out.h"

#define WIDTH 80

/* Prints a line, and continues it below its text if it is too long for a terminal. */
__attribute__((format(printf, 3, 4)))
static void show_text(FILE *out, const char *what, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	out_put(out, "%-16s", what);
	out_words(out, text, 16, 17, WIDTH);
}

static void show_line(FILE *out, const char *what, unsigned long long value)
{
	out_put(out, "%-16s %llu\n", what, value);
}

static void show_start(FILE *out, const struct ktr_session *session)
{
	time_t seconds = session->start.realtime / 1000000000;
	char text[64];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	out_put(out, "%-16s %s, %llu s ago\n", "since", text,
		(unsigned long long)((session->now.monotonic - session->start.monotonic) /
				     1000000000));
}

static void show_left(FILE *out, const struct ktr_session *session)
{
	char text[FMT_LEN];

	if (session->has_left)
		out_put(out, "%-16s %s\n", "ends in", fmt_plain(text, session->left));
}

static void show_sinks(FILE *out, const struct ktr_session *session)
{
	size_t i;

	out_put(out, "%-16s", "keeps");
	for (i = 0; i < SESSION_NR_SINKS; i++)
		if (session->sinks & session_sinks[i].sink)
			out_put(out, " %s", session_sinks[i].name);
	out_put(out, "\n");
}

static void show_table(FILE *out, const struct ktr_session *session)
{
	char *keys = chosen_text(&session->table);

	if (session->sinks & KTRACE_SINK_TABLE)
		out_put(out, "%-16s %s\n", "table by", keys);
	free(keys);
}

static double rate(double nr, uint64_t ns)
{
	return ns ? nr * 1e9 / ns : 0;
}

/* The cost of a hit is one figure everywhere: costs_of(). */
static void show_cost(FILE *out, const struct ktr_session *session, const struct ktrace_costs *costs)
{
	const struct ktrace_counters *c = &session->counters;
	uint64_t nr = c->hits + c->excluded;

	if (c->excluded)
		out_put(out, "%-16s %llu hits of tasks that do not meet the conditions\n",
			"excluded", (unsigned long long)c->excluded);
	if (session->sinks & KTRACE_SINK_COUNT) {
		out_put(out, "%-16s not measured: --count reads no clock\n", "cost");
		return;
	}
	show_text(out, "cost", "%.0f ns a hit, %s; %.2f %% of one CPU since the start",
		  nr ? costs_of(costs, session) / nr : 0,
		  costs_are_whole(costs, session) ? "with its trap" : "without its trap",
		  costs_share(costs, NULL, session));
}

static void show_stream(FILE *out, const struct ktrace_counters *c)
{
	show_line(out, "produced", c->produced);
	show_line(out, "acknowledged", c->acknowledged);
	show_line(out, "held", c->held);
	show_line(out, "dropped", c->dropped);
}

static void show_budget(FILE *out, const struct ktr_session *session)
{
	if (session->budget)
		out_put(out, "%-16s %.1f %% of one CPU\n", "budget", session->budget / 10.0);
}

static void show_now(FILE *out, const struct show_now *now)
{
	char part[128] = "";

	if (!now->is_known)
		return;
	if (now->percent_of_processes > 0)
		snprintf(part, sizeof(part), "; %.1f %% of the CPU time of %zu process%s",
			 now->percent_of_processes, now->nr_processes,
			 now->nr_processes == 1 ? "" : "es");
	show_text(out, "now", "%.0f hits a second, %.2f %% of one CPU%s", now->hits_per_s,
		  now->percent, part);
}

/* Targets of jumps, of which only the returns are probed, have no name. */
static void show_functions(FILE *out, const struct show *show)
{
	uint32_t nr_used = show->session->nr_used;

	show_line(out, "functions", show->nr_named ? show->nr_named : nr_used);
	if (show->nr_named && show->nr_named < nr_used)
		show_text(out, "jumped to",
			  "%u more, not shown: their returns end calls that jumped to them",
			  nr_used - show->nr_named);
}

void show_print(FILE *out, const struct show *show)
{
	const struct ktr_session *session = show->session;
	const struct ktrace_counters *c = &session->counters;

	out_put(out, "%-16s %s\n", "session", session->name);
	out_put(out, "%-16s %s\n", "state", session_state(session->state));
	show_start(out, session);
	show_left(out, session);
	show_sinks(out, session);
	show_table(out, session);
	show_functions(out, show);
	show_line(out, "room for more", session->nr_funcs - session->nr_used);
	show_line(out, "sites", session->nr_sites);
	show_line(out, "failed", session->nr_failed);
	out_put(out, "%-16s %llu, %.0f a second\n", "hits", (unsigned long long)c->hits,
		rate(c->hits, session->now.monotonic - session->start.monotonic));
	show_cost(out, session, show->costs);
	show_now(out, &show->now);
	show_budget(out, session);
	taken_out_print(out, "                 ", &show->out, session, &show->names);
	show_text(out, "module memory", "%llu bytes", (unsigned long long)session->mem);
	show_line(out, "unwound", c->unwound);
	show_line(out, "unmatched", c->unmatched);
	show_line(out, "gaps", c->gaps);
	show_line(out, "lost", session_lost(c));
	if (session->sinks & KTRACE_SINK_STREAM)
		show_stream(out, c);
}

/* --- JSON ----------------------------------------------------------------------- */

#define REAL	"%.3f"

static struct json_object *show_cost_json(const struct show *show)
{
	const struct ktrace_counters *c = &show->session->counters;
	uint64_t nr = c->hits + c->excluded;
	struct json_object *to = json_object_new_object();

	json_add(to, "with_trap",
		 json_object_new_boolean(costs_are_whole(show->costs, show->session)));
	json_add_real(to, "hit_ns", REAL, nr ? costs_of(show->costs, show->session) / nr : 0);
	json_add_real(to, "percent_of_cpu", REAL, costs_share(show->costs, NULL, show->session));
	return to;
}

static struct json_object *show_now_json(const struct show_now *now)
{
	struct json_object *to = json_object_new_object();

	json_add_real(to, "hits_per_s", REAL, now->hits_per_s);
	json_add_real(to, "percent_of_cpu", REAL, now->percent);
	if (now->percent_of_processes > 0) {
		json_add_real(to, "percent_of_processes", REAL, now->percent_of_processes);
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

static struct json_object *show_table_json(const struct ktrace_table *table)
{
	struct json_object *list = json_object_new_array();
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS && table->keys[i]; i++)
		json_object_array_add(list, json_object_new_string(key_kind_of(table->keys[i])->name));
	return list;
}

struct json_object *show_document(const struct show *show)
{
	struct json_object *document = head_json(NULL), *list = json_object_new_array();
	struct json_object *row = json_session_of(show->session);

	json_add(row, "keeps", show_sinks_json(show->session->sinks));
	if (show->nr_named)
		json_add_u64(row, "named", show->nr_named);
	if (show->session->sinks & KTRACE_SINK_TABLE)
		json_add(row, "by", show_table_json(&show->session->table));
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
