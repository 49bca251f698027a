// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "report/ctf.h"
#include "report/functions.h"
#include "report/graph.h"
#include "report/head.h"
#include "report/json.h"
#include "report/record.h"
#include "report/tree.h"
#include "report/view.h"
#include "util/demangle.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/style.h"

#define SHOW_AFTER 300000000	/* ns that a call must run before its line is shown */

struct view {
	const struct trace *trace;
	FILE *out;
	const struct names *names;
	struct knl_session session;
	uint64_t from;		/* ns: begin of the window */
	struct stream_sink sink;
	struct tree *tree;
	struct counter *counter;
	struct ctf *ctf;
};

/* --- events ------------------------------------------------------------- */

static void to_tree(void *arg, const struct event *event)
{
	tree_event(((struct view *)arg)->tree, event);
}

static void to_counter(void *arg, const struct event *event)
{
	counter_event(((struct view *)arg)->counter, event);
}

static void to_json(void *arg, const struct event *event)
{
	struct view *view = arg;
	const struct record_source source = { .names = view->names };
	struct record record;

	record_parse(&record, event, &source);
	record_print_json(view->out, &record);
}

static void print_call(struct view *view, const struct event *event)
{
	const struct value_formats *formats = names_formats(view->names, event->func);
	const char *name = names_get(view->names, event->func);
	int len = fmt_name_len(name);

	if (event->id == EVENT_ENTRY && event->nr_payload) {
		out_put(view->out, "%.*s(", (int)demangle_base_len(name), name);
		value_print_all(view->out, event, formats);
		out_put(view->out, ")%s", name + len);
		return;
	}
	out_put(view->out, "%.*s%s%s", len, name, fmt_parentheses(name), name + len);
	if (!event->nr_payload)
		return;
	fputs(" = ", view->out);
	value_print_all(view->out, event, formats);
}

static void to_flat(void *arg, const struct event *event)
{
	struct view *view = arg;
	char text[FMT_LEN] = "", moment[STYLE_MOMENT_LEN];

	if (event->id == EVENT_GAP) {
		out_put(view->out, "%*s  %6s  %-5s  %8s  %llu records of CPU %u are missing here\n",
			style_moment_width(9), "", "", "gap", "", (unsigned long long)event->duration, event->cpu);
		return;
	}
	if (event->id == EVENT_EXIT)
		fmt_duration(text, event->duration);
	out_put(view->out, "%*s  %6u  %-5s  %8s  ", style_moment_width(9),
		style_moment(moment, event->time, view->from, 9), event->tid,
		event->id == EVENT_TASK_EXIT ? "end" : record_kind_of(event->id)->name, text);
	if (event->id == EVENT_TASK_EXIT)
		fputs("thread", view->out);
	else if (event->id == EVENT_FORK)
		out_put(view->out, "%s %u", event->child == event->child_pid ? "process" : "thread",
			event->child);
	else if (event->id == EVENT_EXEC)
		out_put(view->out, "%s", event->program);
	else
		print_call(view, event);
	if (event_mark(event))
		out_put(view->out, "  /* %s */", event_mark(event));
	fputc('\n', view->out);
}

static void to_ctf(void *arg, const struct event *event)
{
	ctf_event(((struct view *)arg)->ctf, event);
}

static bool to_disk(void *arg)
{
	struct view *view = arg;

	if (view->tree)
		tree_settle(view->tree);
	return !(view->ctf && ctf_flush(view->ctf)) && !fflush(view->out) && !ferror(view->out);
}

/* --- beginning ---------------------------------------------------------- */

static bool is_format(const struct view *view, const char *format)
{
	return !strcmp(view->trace->format, format);
}

static void begin_tree(struct view *view)
{
	struct tree_options options = {
		.with_timestamp = style_get()->has_time,
		.start = view->from,
	};

	view->tree = tree_create(view->out, view->names, &options);
	view->sink.event = to_tree;
	tree_head(view->tree);
}

static int begin_stream(struct view *view, struct err *err)
{
	if (is_format(view, "tree")) {
		begin_tree(view);
	} else if (is_format(view, "flat")) {
		view->sink.event = to_flat;
		style_begin(view->out, STYLE_TITLE);
		out_put(view->out, "%*s  %6s  %-5s  %8s  %s\n", style_moment_width(9),
			style_moment_title(), "TID", "EVENT", "DURATION", "FUNCTION");
		style_end(view->out, STYLE_TITLE);
	} else if (is_format(view, "ctf")) {
		view->ctf = ctf_create(view->trace->output.path, &view->session, view->names, err);
		view->sink.event = to_ctf;
		return view->ctf ? 0 : -1;
	} else if (view->trace->by) {
		view->counter = counter_create(view->names);
		view->sink.event = to_counter;
	} else if (is_format(view, "json") && view->trace->with_stream) {
		view->sink.event = to_json;
	}
	return 0;
}

struct view *view_create(const struct trace *trace, FILE *out, const struct names *names,
			 const struct knl_session *session, struct err *err)
{
	struct view *view = mem_alloc(sizeof(*view));

	view->trace = trace;
	view->out = out;
	view->names = names;
	view->session = *session;
	view->from = session->start.monotonic;
	view->sink.arg = view;
	view->sink.flush = to_disk;
	if (!(session->sinks & KTRACE_SINK_STREAM) || !begin_stream(view, err))
		return view;
	free(view);
	return NULL;
}

void view_begin_at(struct view *view, uint64_t from)
{
	view->from = from;
	if (view->tree)
		tree_set_start(view->tree, from);
}

void view_name_process(struct view *view, uint32_t pid, const char *program)
{
	if (view->ctf)
		ctf_name_process(view->ctf, pid, program);
}

const struct stream_sink *view_sink(struct view *view)
{
	return &view->sink;
}

/*
 * Uses the clock of the read, not the current time: the return of a call that has ended since is
 * not read yet.
 */
void view_tick(struct view *view, uint64_t clock)
{
	if (view->tree && clock > SHOW_AFTER)
		tree_flush(view->tree, clock - SHOW_AFTER);
}

/* The window ends with the last process, or with the session. */
static uint64_t end_of(const struct view *view)
{
	uint64_t ended_at = view->session.ended_at;

	return ended_at > view->from ? ended_at : view->session.now.monotonic;
}

/* --- end ---------------------------------------------------------------- */

static int print_json(struct view *view, const struct table *functions, struct knl *nl)
{
	struct graph graph = { NULL };
	bool with_tree = view->session.sinks & KTRACE_SINK_TREE;
	int error = 0;

	if (view->sink.event == to_json) {
		json_print_end(view->out, &view->session);
		return 0;
	}
	if (with_tree)
		error = graph_read(&graph, nl, view->session.id, view->trace->read_flags);
	if (!error)
		json_print_functions(view->out, &view->session, false, functions,
				     with_tree ? &graph : NULL, view->names);
	graph_free(&graph);
	return error;
}

static int print_graph(struct view *view, struct knl *nl)
{
	struct graph graph;
	int error = graph_read(&graph, nl, view->session.id, view->trace->read_flags);

	if (!error)
		graph_print(view->out, &graph, view->names);
	graph_free(&graph);
	return error;
}

static int print_functions(struct view *view, struct knl *nl)
{
	struct table functions;
	int error = 0;

	if (view->counter)
		counter_take(view->counter, &functions);
	else
		error = functions_read(&functions, nl, view->session.id, view->trace->read_flags,
				       view->names);
	functions_describe(&functions, &view->session, view->session.now.monotonic);
	functions_set_window(&functions, view->from, end_of(view));
	if (!error)
		error = functions_mark_callers(&functions, nl, &view->session,
					       view->trace->read_flags);
	functions.has_hists = view->trace->with_hists;
	functions_sort(&functions, view->trace->sort);
	if (!error && is_format(view, "json"))
		error = print_json(view, &functions, nl);
	else if (!error && is_format(view, "hist"))
		functions_print_hists(view->out, &functions);
	else if (!error)
		functions_print(view->out, &functions);
	table_free(&functions);
	return error;
}

/* Sets the window, and prints the line above tables that stand alone. */
static void print_head(const struct view *view)
{
	head_set_window(view->from, end_of(view));
	if (!is_format(view, "json"))
		head_print(view->out, false);
}

static int finish(struct view *view, struct knl *nl)
{
	if (view->tree) {
		tree_flush(view->tree, UINT64_MAX);
		tree_free(view->tree);
		return 0;
	}
	if (view->sink.event == to_flat)
		return 0;
	print_head(view);
	return is_format(view, "tree") ? print_graph(view, nl) : print_functions(view, nl);
}

int view_finish(struct view *view, struct knl *nl, struct err *err)
{
	int error;

	knl_session_get(nl, view->session.id, &view->session);
	error = view->ctf ? ctf_finish(view->ctf, err) : finish(view, nl);
	if (error && !view->ctf)
		err_set(err, "The results cannot be read from the module: %s.", knl_reason(nl, error));
	free(view);
	return error ? -1 : 0;
}
