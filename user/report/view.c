// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/chosen.h"
#include "report/fit.h"
#include "report/format.h"
#include "report/functions.h"
#include "report/graph.h"
#include "report/head.h"
#include "report/json.h"
#include "report/paths.h"
#include "report/record.h"
#include "report/view.h"
#include "util/mem.h"
#include "util/out.h"

/* --- records ------------------------------------------------------------ */

static void to_record(void *arg, const struct ktr_record *event)
{
	struct view *view = arg;
	const struct record_source source = { .names = view->names };
	struct record record;

	record_parse(&record, event, &source);
	view->format->record(view->out, &record, view->from, "records");
}

static bool to_disk(void *arg)
{
	struct view *view = arg;

	if (view->has_records && view->format->flush && !view->format->flush(view))
		return false;
	return !fflush(view->out) && !ferror(view->out);
}

/* A format of figures shows the records of --stream if it can. */
static int begin_stream(struct view *view, struct err *err)
{
	const struct output_format *format = view->format;
	const struct trace *trace = view->trace;

	view->has_records = (format->sinks & KTRACE_SINK_STREAM) ||
			    (format->record && trace->with_stream);
	if (!view->has_records)
		return 0;
	view->sink.event = format->event ? format->event : to_record;
	return format->begin ? format->begin(view, err) : 0;
}

struct view *view_create(const struct trace *trace, FILE *out, const struct names *names,
			 const struct ktr_session *session, struct err *err)
{
	struct view *view = mem_alloc(sizeof(*view));

	view->trace = trace;
	view->format = trace->format;
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
	if (view->has_records && view->format->set_start)
		view->format->set_start(view);
}

void view_name_process(struct view *view, uint32_t pid, const char *program)
{
	if (view->has_records && view->format->name_process)
		view->format->name_process(view, pid, program);
}

const struct stream_sink *view_sink(struct view *view)
{
	return &view->sink;
}

void view_tick(struct view *view, uint64_t clock)
{
	if (view->has_records && view->format->tick)
		view->format->tick(view, clock);
}

/* --- figures ------------------------------------------------------------ */

/* The window ends with the last process, or with the session. */
static uint64_t end_of(const struct view *view)
{
	uint64_t ended_at = view->session.ended_at;

	return ended_at > view->from ? ended_at : view->session.now.monotonic;
}

int view_read_functions(struct view *view, struct ktr *ktr, struct table *functions)
{
	const struct trace *trace = view->trace;
	int error = functions_read(functions, ktr, view->session.id, trace->read_flags, view->names);

	functions_describe(functions, &view->session, view->session.now.monotonic);
	functions_set_window(functions, view->from, end_of(view));
	if (!error)
		error = functions_mark_callers(functions, ktr, &view->session, trace->read_flags);
	functions->has_hists = trace->with_hists;
	functions_sort(functions, trace->sort);
	return error;
}

int view_print_rows(struct view *view, struct ktr *ktr, bool with_hists)
{
	const struct output_format *format = view->format;
	const struct trace *trace = view->trace;
	struct chosen chosen = { .names = view->names };
	int error = chosen_read(&chosen, ktr, &view->session, &trace->table, trace->read_flags);

	chosen.table.duration_ns = end_of(view) - view->from;
	chosen.table.has_hists = trace->with_hists;
	table_sort(&chosen.table, trace->sort ? trace->sort : "total");
	if (!error && format->document) {
		format->document(view->out, chosen_document(&view->session, &chosen), false);
	} else if (!error) {
		head_print(view->out);
		(with_hists ? chosen_print_hists : chosen_print)(view->out, &chosen);
	}
	chosen_free(&chosen);
	return error;
}

static int print_functions(struct view *view, struct ktr *ktr)
{
	const struct output_format *format = view->format;
	bool has_tree = format->document && (view->session.sinks & KTRACE_SINK_TREE);
	struct graph graph = { .nr = 0 };
	struct table functions;
	int error = view_read_functions(view, ktr, &functions);

	if (!error && has_tree) {
		error = graph_read(&graph, ktr, view->session.id, view->trace->read_flags);
		graph_set_rows(&graph, &functions);
	}
	if (!error && format->document) {
		format->document(view->out, functions_document(&view->session, &functions,
							       has_tree ? &graph : NULL,
							       view->names), false);
	} else if (!error && format->rows) {
		format->rows(view->out, &functions, false, true);
	} else if (!error) {
		head_print(view->out);
		functions_print(view->out, &functions);
	}
	graph_free(&graph);
	table_free(&functions);
	return error;
}

static int print_paths(struct view *view, struct ktr *ktr)
{
	struct graph graph;
	struct paths paths;
	struct fit fit;
	int error = graph_read(&graph, ktr, view->session.id, view->trace->read_flags);

	if (!error) {
		paths_take_graph(&paths, &graph, view->names);
		fit_put(view->out, view->format, &paths, view->trace->max_size,
			view->fit ? view->fit : &fit);
		paths_free(&paths);
	}
	graph_free(&graph);
	return error;
}

static int finish(struct view *view, struct ktr *ktr, struct err *err)
{
	const struct output_format *format = view->format;

	if (format->paths)
		return print_paths(view, ktr);
	if (!view->has_records && format->figures)
		return format->figures(view, ktr);
	if (!view->has_records)
		return trace_has_table(view->trace) ? view_print_rows(view, ktr, false) :
						      print_functions(view, ktr);
	if (format->end)
		return format->end(view, err);
	if (format->document)
		format->document(view->out, json_end(&view->session), true);
	return 0;
}

int view_finish(struct view *view, struct ktr *ktr, struct err *err)
{
	int error;

	ktr_session_get(ktr, view->session.id, &view->session);
	head_set_window(view->from, end_of(view));
	err->text[0] = 0;
	error = finish(view, ktr, err);
	if (error && !err->text[0])
		err_set(err, "The results cannot be read from the module: %s.", ktr_reason(ktr, error));
	free(view);
	return error ? -1 : 0;
}
