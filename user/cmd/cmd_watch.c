// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl watch: shows a session's results as they change. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "cmd/options.h"
#include "cmd/screen.h"
#include "cmd/trace_options.h"
#include "report/chosen.h"
#include "report/functions.h"
#include "report/graph.h"
#include "report/view.h"
#include "session/follow.h"
#include "session/module.h"
#include "session/remarks.h"
#include "session/session.h"
#include "session/sidecar.h"
#include "system/procs.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

#define MS 1000000	/* ns */

struct config {
	struct trace trace;	/* format, sort */
	uint64_t interval;	/* ns */
};

static const struct opt opts[] = {
	FORMAT_OPTION(struct config, trace.format, FORMATS_OF_PICTURES),
	{ 'i', "interval", "TIME", OPT_INTERVAL, offsetof(struct config, interval),
	  "between two updates (1s)", NULL },
	SORT_OPTION(struct config, trace.sort, trace_orders),
	BY_OPTION(struct config, trace.by, CHOSEN_FUNCTION_KEYS),
	MOMENT_OPTION,
	STYLE_OPTIONS,
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct watch {
	struct config config;
	const char *name;
	struct ktr *ktr;
	struct ktr_session session;
	struct names names;
	uint32_t nr_named;	/* number of functions when names were read */
	struct follow *follow;	/* NULL if nothing that is loaded later must be probed */
	struct remarks remarks;	/* on a terminal: shown in the picture and at the end */
	struct err err;		/* why the command must end */
};

static bool is_tree(const struct watch *watch)
{
	return watch->config.trace.format->needs;
}

/* --- what is looked at --------------------------------------------------- */

/* Reads names again, because other commands may have added functions. */
static void renew_names(struct watch *watch)
{
	if (watch->nr_named == watch->session.nr_used)
		return;
	names_free(&watch->names);
	sidecar_read(watch->name, watch->session.cookie, watch->session.nr_funcs, &watch->names);
	names_fill(&watch->names, watch->ktr, watch->session.id, 0);
	watch->nr_named = watch->session.nr_used;
}

/* Returns false if the session is over. */
static bool look(struct watch *watch)
{
	if (ktr_session_get(watch->ktr, watch->session.id, &watch->session) ||
	    watch->session.state == KTRACE_STATE_STOPPED ||
	    watch->session.state == KTRACE_STATE_FAILED)
		return false;
	renew_names(watch);
	return true;
}

/* --- what is loaded meanwhile --------------------------------------------- */

static bool is_picture(const struct watch *watch)
{
	return screen_of(STDOUT_FILENO).rows &&
	       !(is_tree(watch) && (watch->session.sinks & KTRACE_SINK_STREAM));
}

/*
 * Reports a sentence without its full stop. In a picture, the sentence is kept, because the screen
 * would overwrite it.
 */
static void tell(struct watch *watch, char *text)
{
	if (is_picture(watch)) {
		remarks_add(&watch->remarks, text);
		return;
	}
	out_put(stderr, "ktrace: %s.\n", text);
	free(text);
}

static void take_remarks(struct watch *watch)
{
	char *text;

	while ((text = follow_take_remark(watch->follow)))
		tell(watch, text);
}

static void look_after_files(struct watch *watch)
{
	if (!watch->follow) {
		ktr_notices_drain(watch->ktr);
		return;
	}
	follow_answer(watch->follow);
	take_remarks(watch);
}

static void follow_processes(struct watch *watch, const struct sidecar *sidecar,
			     const struct origin *origin)
{
	char *program = origin_file(origin);
	pid_t *pids = NULL;
	struct follow_options options = {
		.trace = &origin->trace,
		.does_programs = watch->session.does_follow,
		.program = program,
		.sidecar = sidecar,
	};
	struct err err;

	if (program)
		options.nr_pids = procs_list(program, &pids);
	options.pids = pids;
	watch->follow = follow_create(watch->ktr, &watch->session, &watch->names, &options, &err);
	if (watch->follow)
		take_remarks(watch);
	else
		tell(watch, mem_format("%.*s", (int)strlen(err.text) - 1, err.text));
	free(program);
	free(pids);
}

/* Follows processes only if the session needs it for code that is loaded later. */
static void begin_follow(struct watch *watch, struct sidecar *sidecar, struct origin *origin)
{
	if (!sidecar) {
		tell(watch, mem_format("code that processes load from now on is not probed, because the options of session %s are not known (/run/ktrace/%s is missing or belongs to another session)",
				       watch->name, watch->name));
		return;
	}
	sidecar_origin(sidecar, origin);
	if (origin->trace.nested_libs.nr || watch->session.does_follow)
		follow_processes(watch, sidecar, origin);
}

/* --- pictures ------------------------------------------------------------ */

static void print_head(FILE *out, const struct ktr_session *session)
{
	out_put(out, "%s  %s  %u sites  %llu hits  %llu lost  %llu s\n", session->name,
		session_state(session->state), session->nr_sites,
		(unsigned long long)session->counters.hits,
		(unsigned long long)session_lost(&session->counters),
		(unsigned long long)((session->now.monotonic - session->start.monotonic) /
				     1000000000));
}

static void print_remark(FILE *out, const struct watch *watch)
{
	const char *last = remarks_get(&watch->remarks, watch->remarks.nr - 1);

	if (last)
		out_put(out, "ktrace: %s.\n", last);
}

static int print_rows(const struct watch *watch, FILE *out)
{
	const struct trace *trace = &watch->config.trace;
	struct chosen chosen = { .names = &watch->names };
	int error = chosen_read(&chosen, watch->ktr, &watch->session, &trace->table, 0);

	chosen.table.duration_ns = watch->session.now.monotonic - watch->session.start.monotonic;
	table_sort(&chosen.table, trace->sort ? trace->sort : "total");
	if (!error)
		chosen_print(out, &chosen);
	chosen_free(&chosen);
	return error;
}

static int print_figures(const struct watch *watch, FILE *out)
{
	struct graph graph = { .nr = 0 };
	struct table functions;
	int error = functions_read(&functions, watch->ktr, watch->session.id, 0, &watch->names);

	functions_describe(&functions, &watch->session, clock_now_ns());
	functions_set_window(&functions, watch->session.start.monotonic,
			     watch->session.now.monotonic);
	if (!error)
		error = functions_mark_callers(&functions, watch->ktr, &watch->session, 0);
	functions_sort(&functions, watch->config.trace.sort);
	if (!error && is_tree(watch)) {
		error = graph_read(&graph, watch->ktr, watch->session.id, 0);
		graph_set_rows(&graph, &functions);
	}
	if (!error && is_tree(watch))
		graph_print(out, &graph, &watch->names);
	else if (!error)
		functions_print(out, &functions);
	graph_free(&graph);
	table_free(&functions);
	return error;
}

/* Returns false if the session is over, or if the reader of the output has closed it. */
static bool draw(struct watch *watch)
{
	struct screen screen = screen_of(STDOUT_FILENO);
	char *text = NULL;
	size_t len;
	FILE *out;
	int error;

	if (!look(watch))
		return false;
	screen_choose_style(NULL);
	out = open_memstream(&text, &len);
	if (!out)
		return true;
	print_head(out, &watch->session);
	print_remark(out, watch);
	error = trace_has_table(&watch->config.trace) ? print_rows(watch, out) :
							print_figures(watch, out);
	fclose(out);
	if (!error)
		screen_show(stdout, &screen, text);
	free(text);
	return !out_flush(stdout, NULL, &watch->err);
}

/*
 * Waits for the next picture. Notices end the wait, because a process that mapped a file is held
 * until the answer.
 */
static void wait_until(struct watch *watch, uint64_t next)
{
	int nr_windows = signals_nr_windows;
	uint64_t now;

	while (!signals_nr_ends && nr_windows == signals_nr_windows && (now = clock_now_ns()) < next) {
		signals_wait(ktr_notice_fd(watch->ktr), (next - now) / MS + 1);
		look_after_files(watch);
		if (ktr_session_get(watch->ktr, watch->session.id, &watch->session))
			return;
	}
}

static void show_pictures(struct watch *watch)
{
	bool is_on = true;

	while (is_on && !signals_nr_ends) {
		is_on = draw(watch);
		if (is_on)
			wait_until(watch, clock_now_ns() + watch->config.interval);
	}
}

/* --- calls as they come -------------------------------------------------- */

static int explain_stream(struct watch *watch, int error)
{
	if (error == -EBUSY && !ktr_session_get(watch->ktr, watch->session.id, &watch->session))
		return err_set(&watch->err, "Process %d already reads the stream of %s, which can have only one reader at a time.",
			       watch->session.reader, watch->name);
	return error == -ENOENT ? 0 : err_set(&watch->err, "The stream of %s cannot be read: %s.",
					      watch->name, ktr_reason(watch->ktr, error));
}

/* Acknowledges the shown records, so that the next reader continues after them. */
static int end_calls(struct watch *watch, struct stream *stream, struct view *view)
{
	int error = stream_finish(stream, &signals_nr_ends);

	if (view_finish(view, watch->ktr, &watch->err) || out_flush(stdout, NULL, &watch->err))
		return -1;
	if (!error || error == -EINTR)
		error = stream_acknowledge(stream);
	return error ? explain_stream(watch, error) : 0;
}

static int show_calls(struct watch *watch)
{
	struct stream *stream;
	size_t nr_packets;
	struct view *view;
	int error = 0;

	screen_choose_style(NULL);
	view = view_create(&watch->config.trace, stdout, &watch->names, &watch->session,
			   &watch->err);

	if (!view)
		return -1;
	stream = stream_create(watch->ktr, watch->session.id, view_sink(view));
	while (!error && !signals_nr_ends && look(watch)) {
		error = stream_read(stream, &nr_packets);
		view_tick(view, stream_clock(stream));
		if (out_flush(stdout, NULL, &watch->err))
			break;
		signals_wait(ktr_notice_fd(watch->ktr), nr_packets > 1 ? 1 : 100);
		look_after_files(watch);
	}
	if (watch->err.text[0])
		error = -1;
	else if (!error || error == -ENOENT)
		error = end_calls(watch, stream, view);
	else
		error = explain_stream(watch, error);
	stream_free(stream);
	return error;
}

/* --- the whole ----------------------------------------------------------- */

static int check(struct watch *watch, struct err *err)
{
	if (watch->session.provider != KTRACE_PROVIDER_USER)
		return err_set(err, "%s measures %s, and ctl watch shows functions of programs only.",
			       watch->name, session_provider(watch->session.provider));
	if (is_tree(watch) && !(watch->session.sinks & (KTRACE_SINK_TREE | KTRACE_SINK_STREAM)))
		return err_set(err, "The session %s keeps no tree; watch its table.", watch->name);
	return trace_options_choose_table(&watch->config.trace, &watch->session, err);
}

static void tell_remarks(const struct remarks *remarks)
{
	const char *text;
	size_t i;

	if (remarks->nr > REMARKS_KEPT)
		out_put(stderr, "ktrace: %zu remarks were dropped; the last %d follow.\n",
			remarks->nr - REMARKS_KEPT, REMARKS_KEPT);
	for (i = 0; i < remarks->nr; i++) {
		text = remarks_get(remarks, i);
		if (text)
			out_put(stderr, "ktrace: %s.\n", text);
	}
}

static void tell_end(const struct watch *watch)
{
	if (!signals_nr_ends)
		out_put(stdout, "The session %s has ended.\n", watch->name);
	else if (screen_of(STDOUT_FILENO).rows)
		putchar('\n');
	fflush(stdout);
	tell_remarks(&watch->remarks);
}

static void show(struct watch *watch)
{
	if (is_tree(watch) && (watch->session.sinks & KTRACE_SINK_STREAM))
		show_calls(watch);
	else
		show_pictures(watch);
	if (!watch->err.text[0])
		tell_end(watch);
}

static int watch_session(struct watch *watch)
{
	struct origin origin = { .path = NULL };
	struct sidecar *sidecar;
	struct err err;

	if (named_find(watch->ktr, watch->name, &watch->session, &err))
		return cmd_fail(CMD_FAILED, &err);
	if (check(watch, &err))
		return cmd_fail(CMD_USAGE, &err);
	ktr_notice_fd(watch->ktr);
	renew_names(watch);
	sidecar = sidecar_open(watch->name, watch->session.cookie);
	begin_follow(watch, sidecar, &origin);
	show(watch);
	follow_free(watch->follow);
	origin_free(&origin);
	sidecar_close(sidecar);
	return watch->err.text[0] ? cmd_fail(CMD_FAILED, &watch->err) : CMD_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct watch *watch = mem_alloc(sizeof(*watch));
	struct err err;
	int first, code;

	watch->config.trace.format = &format_table;
	watch->config.interval = 1000 * MS;
	code = cmd_parse(command, argc, argv, &watch->config, &first);
	if (code >= 0)
		return code;
	if (first != argc - 1) {
		err_set(&err, "Which session? ktrace ctl watch NAME; see: ktrace ctl list.");
		return cmd_fail(CMD_USAGE, &err);
	}
	watch->name = argv[first];
	if (trace_options_parse_by(&watch->config.trace, &err))
		return cmd_fail(CMD_USAGE, &err);
	watch->ktr = module_open_to_trace(&err);
	if (!watch->ktr)
		return cmd_fail(CMD_FAILED, &err);
	signals_init();
	signals_take_windows();
	code = watch_session(watch);
	names_free(&watch->names);
	remarks_free(&watch->remarks);
	ktr_close(watch->ktr);
	free(watch);
	return code;
}

const struct command cmd_watch = {
	.name = "watch",
	.usage = "ctl watch NAME [options]",
	.summary = "Show a session's results as they change, until Ctrl-C.",
	.opts = opts,
	.examples = "  ktrace ctl list\n"
		    "  ktrace ctl watch \"$(ktrace ctl list | awk 'NR == 2 { print $1 }')\" -i 500ms\n"
		    "  ktrace ctl watch -h\n",
	.run = run,
};
