// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl watch: what a session measures, as it goes on. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd.h"
#include "graph.h"
#include "mem.h"
#include "named.h"
#include "out.h"
#include "rows.h"
#include "screen.h"
#include "session.h"
#include "sidecar.h"
#include "signals.h"
#include "table.h"
#include "view.h"

#define MS 1000000	/* ns */

struct config {
	struct trace trace;	/* format, sort, with_timestamp */
	uint64_t interval;	/* ns */
};

static const struct opt opts[] = {
	{ 0, "format", "FORMAT", OPT_CHOICE, offsetof(struct config, trace.format),
	  "table, tree (of a stream: its calls as they come)", "table|tree" },
	{ 0, "interval", "TIME", OPT_TIME, offsetof(struct config, interval),
	  "between two looks (1s)", NULL },
	{ 0, "sort", "COLUMN", OPT_CHOICE, offsetof(struct config, trace.sort),
	  "total, self, calls, avg, min, max, p99 or name",
	  "total|self|calls|avg|min|max|p99|name" },
	{ 0, "timestamp", NULL, OPT_FLAG, offsetof(struct config, trace.with_timestamp),
	  "seconds since the start in front of every call of a stream", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct watch {
	struct config config;
	const char *name;
	struct knl *nl;
	struct knl_session session;
	struct names names;
	uint32_t nr_named;	/* functions there were when names were read */
	struct err err;		/* why it cannot go on */
};

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

static bool is_tree(const struct watch *watch)
{
	return watch->config.trace.format && !strcmp(watch->config.trace.format, "tree");
}

/* --- what is looked at --------------------------------------------------- */

/* Others may have added functions. */
static void renew_names(struct watch *watch)
{
	if (watch->nr_named == watch->session.nr_used)
		return;
	names_free(&watch->names);
	sidecar_read(watch->name, watch->session.cookie, watch->session.nr_funcs, &watch->names);
	names_fill(&watch->names, watch->nl, watch->session.id, 0);
	watch->nr_named = watch->session.nr_used;
}

/* False: the session is over. */
static bool look(struct watch *watch)
{
	if (knl_session_get(watch->nl, watch->session.id, &watch->session) ||
	    watch->session.state == KTRACE_STATE_STOPPED ||
	    watch->session.state == KTRACE_STATE_FAILED)
		return false;
	renew_names(watch);
	return true;
}

/* --- pictures ------------------------------------------------------------ */

static void print_head(FILE *out, const struct knl_session *session)
{
	fprintf(out, "%s  %s  %u places  %llu hits  %llu lost  %llu s\n", session->name,
		session_state(session->state), session->nr_sites,
		(unsigned long long)session->counters.hits,
		(unsigned long long)session_lost(&session->counters),
		(unsigned long long)((session->now.monotonic - session->start.monotonic) /
				     1000000000));
}

static int print_table(const struct watch *watch, FILE *out)
{
	const char *sort = watch->config.trace.sort;
	struct rows rows;
	int error = rows_read(&rows, watch->nl, watch->session.id, 0, &watch->names);

	rows.is_count = watch->session.flags & KTRACE_F_COUNT;
	rows_sort(&rows, sort ? sort : rows.is_count ? "calls" : "total");
	if (!error)
		table_print(out, &rows);
	rows_free(&rows);
	return error;
}

static int print_graph(const struct watch *watch, FILE *out)
{
	struct graph graph;
	int error = graph_read(&graph, watch->nl, watch->session.id, 0);

	if (!error) {
		graph_sort(&graph);
		graph_print(out, &graph, &watch->names);
	}
	graph_free(&graph);
	return error;
}

/* False: the session is over, or there is nobody to show it to. */
static bool draw(struct watch *watch)
{
	struct screen screen = screen_of(STDOUT_FILENO);
	char *text = NULL;
	size_t len;
	FILE *out;
	int error;

	if (!look(watch))
		return false;
	out = open_memstream(&text, &len);
	if (!out)
		return true;
	print_head(out, &watch->session);
	error = is_tree(watch) ? print_graph(watch, out) : print_table(watch, out);
	fclose(out);
	if (!error)
		screen_show(stdout, &screen, text);
	free(text);
	return !out_flush(stdout, NULL, &watch->err);
}

/*
 * Until the next picture. Notices wake it: what there is to answer for files that processes
 * map meanwhile is to be answered here.
 */
static void wait_until(struct watch *watch, uint64_t next)
{
	int nr_windows = signals_nr_windows;
	uint64_t now;

	while (!signals_nr_ends && nr_windows == signals_nr_windows && (now = now_ns()) < next) {
		signals_wait(knl_notice_fd(watch->nl), (next - now) / MS + 1);
		knl_notices_drain(watch->nl);
		if (knl_session_get(watch->nl, watch->session.id, &watch->session))
			return;
	}
}

static void show_pictures(struct watch *watch)
{
	bool is_on = true;

	while (is_on && !signals_nr_ends) {
		is_on = draw(watch);
		if (is_on)
			wait_until(watch, now_ns() + watch->config.interval);
	}
}

/* --- calls as they come -------------------------------------------------- */

static int explain_stream(struct watch *watch, int error)
{
	if (error == -EBUSY && !knl_session_get(watch->nl, watch->session.id, &watch->session))
		return err_set(&watch->err, "Process %d reads the stream of %s already; there is one reader at a time.",
			       watch->session.reader, watch->name);
	return error == -ENOENT ? 0 : err_set(&watch->err, "The stream of %s cannot be read: %s.",
					      watch->name, strerror(-error));
}

static int show_calls(struct watch *watch)
{
	struct view *view = view_create(&watch->config.trace, stdout, &watch->names,
					&watch->session, &watch->err);
	struct stream *stream;
	size_t nr_packets;
	int error = 0;

	if (!view)
		return -1;
	stream = stream_create(watch->nl, watch->session.id, view_sink(view));
	while (!error && !signals_nr_ends && look(watch)) {
		error = stream_read(stream, &nr_packets);
		view_tick(view, now_ns());
		if (out_flush(stdout, NULL, &watch->err))
			break;
		signals_wait(knl_notice_fd(watch->nl), nr_packets > 1 ? 1 : 100);
		knl_notices_drain(watch->nl);
	}
	stream_free(stream);
	if (error)
		return explain_stream(watch, error);
	return watch->err.text[0] ? -1 : view_finish(view, watch->nl, &watch->err);
}

/* --- the whole ----------------------------------------------------------- */

static int check(const struct watch *watch, struct err *err)
{
	if (is_tree(watch) && !(watch->session.flags & (KTRACE_F_TREE | KTRACE_F_STREAM)))
		return err_set(err, "The session %s keeps no tree; watch its table.", watch->name);
	return 0;
}

static int watch_session(struct watch *watch)
{
	struct err err;

	if (named_find(watch->nl, watch->name, &watch->session, &err))
		return cmd_fail(CMD_FAILED, &err);
	if (check(watch, &err))
		return cmd_fail(CMD_USAGE, &err);
	knl_notice_fd(watch->nl);
	renew_names(watch);
	if (is_tree(watch) && (watch->session.flags & KTRACE_F_STREAM))
		show_calls(watch);
	else
		show_pictures(watch);
	if (watch->err.text[0])
		return cmd_fail(CMD_FAILED, &watch->err);
	if (!signals_nr_ends)
		printf("The session %s has ended.\n", watch->name);
	else if (screen_of(STDOUT_FILENO).rows)
		putchar('\n');
	return CMD_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct watch *watch = mem_alloc(sizeof(*watch));
	struct err err;
	int first, code;

	watch->config.interval = 1000 * MS;
	code = cmd_parse(command, argc, argv, &watch->config, &first);
	if (code >= 0)
		return code;
	if (first != argc - 1) {
		err_set(&err, "Which session? ktrace ctl watch NAME; see: ktrace ctl list.");
		return cmd_fail(CMD_USAGE, &err);
	}
	watch->name = argv[first];
	watch->nl = knl_open(&err);
	if (!watch->nl)
		return cmd_fail(CMD_FAILED, &err);
	signals_init();
	signals_take_windows();
	code = watch_session(watch);
	names_free(&watch->names);
	knl_close(watch->nl);
	free(watch);
	return code;
}

const struct command cmd_watch = {
	.name = "watch",
	.usage = "ctl watch NAME [options]",
	.summary = "Show what a session measures, as it goes on, until Ctrl-C.",
	.opts = opts,
	.examples = "  ktrace ctl list\n"
		    "  ktrace ctl watch \"$(ktrace ctl list | awk 'NR == 2 { print $1 }')\" --interval 500ms\n"
		    "  ktrace ctl watch -h\n",
	.run = run,
};
