// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl show: state and cost of a session. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "report/json.h"
#include "session/costs.h"
#include "session/origin.h"
#include "session/session.h"
#include "session/sidecar.h"
#include "system/cpu_time.h"
#include "system/procs.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

#define MOMENT 300	/* ms */

struct config {
	const char *format;
};

static const struct opt opts[] = {
	{ 0, "format", "FORMAT", OPT_CHOICE, offsetof(struct config, format),
	  "table, json", "table|json" },
	{ 0, "json", NULL, OPT_OLD, 0, "--format json", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

#define COLUMNS 80

/* Prints a line, and continues it below its text if it is too long for a terminal. */
__attribute__((format(printf, 2, 3)))
static void print_text(const char *what, const char *format, ...)
{
	char text[512];
	va_list args;

	va_start(args, format);
	vsnprintf(text, sizeof(text), format, args);
	va_end(args);
	out_put(stdout, "%-16s", what);
	out_words(stdout, text, 16, 17, COLUMNS);
}

static void print_line(const char *what, unsigned long long value)
{
	out_put(stdout, "%-16s %llu\n", what, value);
}

static void print_start(const struct knl_session *session)
{
	time_t seconds = session->start.realtime / 1000000000;
	char text[64];
	struct tm tm;

	localtime_r(&seconds, &tm);
	strftime(text, sizeof(text), "%Y-%m-%d %H:%M:%S", &tm);
	out_put(stdout, "%-16s %s, %llu s ago\n", "since", text,
		(unsigned long long)((session->now.monotonic - session->start.monotonic) /
				     1000000000));
}

static void print_left(const struct knl_session *session)
{
	char text[FMT_LEN];

	if (session->has_left)
		out_put(stdout, "%-16s %s\n", "ends in", fmt_plain(text, session->left));
}

static void print_sinks(const struct knl_session *session)
{
	out_put(stdout, "%-16s%s%s%s%s\n", "keeps",
		session->sinks & KTRACE_SINK_HIST ? " histograms" : "",
		session->sinks & KTRACE_SINK_COUNT ? " counts" : "",
		session->sinks & KTRACE_SINK_TREE ? " tree" : "",
		session->sinks & KTRACE_SINK_STREAM ? " stream" : "");
}

static double rate(double nr, uint64_t ns)
{
	return ns ? nr * 1e9 / ns : 0;
}

/*
 * The module times some of its hits. The cost of the trap around a hit was measured once, see
 * costs.c.
 */
static void print_cost(const struct knl_session *session, const struct ktrace_costs *costs)
{
	const struct ktrace_counters *c = &session->counters;
	double own = c->run_cnt ? (double)c->run_ns / c->run_cnt : 0;
	double each = c->hits ? costs_of(costs, session) / c->hits : 0;

	if (session->sinks & KTRACE_SINK_COUNT) {
		out_put(stdout, "%-16s not measured: --count reads no clock\n", "cost");
		return;
	}
	print_text("cost", "%.0f ns a hit, %s; %.2f %% of one CPU since the start", each,
		   costs_are_whole(costs, session) ? "with its trap" : "without its trap",
		   costs_share(costs, NULL, session));
	out_put(stdout, "%-16s %.0f ns a hit (%llu hits were timed)\n", "in ktrace", own,
		(unsigned long long)c->run_cnt);
}

static void print_stream(const struct ktrace_counters *c)
{
	print_line("produced", c->produced);
	print_line("acknowledged", c->acknowledged);
	print_line("held", c->held);
	print_line("dropped", c->dropped);
}

/*
 * Returns the traced processes: those of the session's list, or all that map the file. The caller
 * frees the list.
 */
static pid_t *find_processes(const struct knl_session *session, size_t *nr)
{
	struct sidecar *sidecar;
	struct origin origin;
	pid_t *pids = NULL;
	char *path = NULL;

	*nr = 0;
	if (session->is_selective) {
		pids = mem_alloc(sizeof(session->pids));
		memcpy(pids, session->pids, sizeof(session->pids));
		*nr = session->nr_pids;
		return pids;
	}
	sidecar = sidecar_open(session->name, session->cookie);
	if (!sidecar)
		return NULL;
	sidecar_origin(sidecar, &origin);
	path = origin_file(&origin);
	if (path)
		*nr = procs_list(path, &pids);
	free(path);
	origin_free(&origin);
	sidecar_close(sidecar);
	return pids;
}

/* Measures the current cost over MOMENT. */
static void print_now(struct knl *nl, const struct knl_session *before,
		      const struct ktrace_costs *costs)
{
	size_t nr;
	pid_t *pids = find_processes(before, &nr);
	uint64_t cpu_time = cpu_time_of(pids, nr);
	struct knl_session now;
	char part[128] = "";
	double cost;

	signals_wait(-1, MOMENT);
	cpu_time = cpu_time_of(pids, nr) - cpu_time;
	free(pids);
	if (knl_session_get(nl, before->id, &now))
		return;
	cost = costs_of(costs, &now) - costs_of(costs, before);
	if (cpu_time)
		snprintf(part, sizeof(part), "; %.1f %% of the CPU time of %zu process%s",
			 cost < cpu_time ? cost * 100 / cpu_time : 100.0, nr, nr == 1 ? "" : "es");
	print_text("now", "%.0f hits a second, %.2f %% of one CPU%s",
		   rate(now.counters.hits - before->counters.hits,
			now.now.monotonic - before->now.monotonic),
		   costs_share(costs, before, &now), part);
}

/* Targets of jumps, of which only the returns are probed, have no name. */
static void print_functions(const struct knl_session *session)
{
	struct sidecar *sidecar = sidecar_open(session->name, session->cookie);
	uint32_t nr_named = 0, i;

	for (i = 0; sidecar && i < session->nr_used; i++)
		nr_named += sidecar_name(sidecar, i) != NULL;
	print_line("functions", sidecar ? nr_named : session->nr_used);
	if (sidecar && nr_named < session->nr_used)
		print_text("jumped to", "%u more, not shown: their returns end calls that jumped to them",
			   session->nr_used - nr_named);
	sidecar_close(sidecar);
}

static void print_budget(const struct knl_session *session)
{
	if (session->budget)
		out_put(stdout, "%-16s %.1f %% of one CPU\n", "budget", session->budget / 10.0);
}

static void print(struct knl *nl, const struct knl_session *session,
		  const struct ktrace_costs *costs)
{
	const struct ktrace_counters *c = &session->counters;

	out_put(stdout, "%-16s %s\n", "session", session->name);
	out_put(stdout, "%-16s %s\n", "state", session_state(session->state));
	print_start(session);
	print_left(session);
	print_sinks(session);
	print_functions(session);
	print_line("room for more", session->nr_funcs - session->nr_used);
	print_line("sites", session->nr_sites);
	print_line("failed", session->nr_failed);
	out_put(stdout, "%-16s %llu, %.0f a second\n", "hits", (unsigned long long)c->hits,
		rate(c->hits, session->now.monotonic - session->start.monotonic));
	print_cost(session, costs);
	if (session->state == KTRACE_STATE_ACTIVE && !(session->sinks & KTRACE_SINK_COUNT))
		print_now(nl, session, costs);
	print_budget(session);
	print_text("module memory", "%llu bytes", (unsigned long long)session->mem);
	print_line("unwound", c->unwound);
	print_line("unmatched", c->unmatched);
	print_line("gaps", c->gaps);
	print_line("lost", session_lost(c));
	if (session->sinks & KTRACE_SINK_STREAM)
		print_stream(c);
}

static int show(struct knl *nl, const char *name, const struct config *config)
{
	struct knl_session session;
	struct knl_info info;
	struct err err;

	if (named_find(nl, name, &session, &err))
		return cmd_fail(CMD_FAILED, &err);
	if (knl_info(nl, &info))
		memset(&info, 0, sizeof(info));
	if (opt_is_json(config->format))
		json_print_sessions(stdout, &session, 1);
	else
		print(nl, &session, &info.costs);
	if (out_flush(stdout, NULL, &err))
		return cmd_fail(CMD_FAILED, &err);
	if (session.provider == KTRACE_PROVIDER_USER)
		cmd_tell_unmatched(&session.counters);
	return cmd_tell_losses(&session.counters);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { 0 };
	struct err err;
	struct knl *nl;
	int first, code = cmd_parse(command, argc, argv, &config, &first);

	if (code >= 0)
		return code;
	if (first != argc - 1) {
		err_set(&err, "Which session? ktrace ctl show NAME; see: ktrace ctl list.");
		return cmd_fail(CMD_USAGE, &err);
	}
	nl = knl_open(&err);
	if (!nl)
		return cmd_fail(CMD_FAILED, &err);
	code = show(nl, argv[first], &config);
	knl_close(nl);
	return code;
}

const struct command cmd_show = {
	.name = "show",
	.usage = "ctl show NAME [--format json]",
	.summary = "Show a session's state, what it costs and what was lost.",
	.opts = opts,
	.examples = "  ktrace ctl list\n"
		    "  ktrace ctl show \"$(ktrace ctl list | awk 'NR == 2 { print $1 }')\"\n"
		    "  ktrace ctl show -h\n",
	.run = run,
};
