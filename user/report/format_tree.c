// SPDX-License-Identifier: GPL-2.0
/* Calls as they happen, one tree per thread. Without records: the tree of all calls together. */
#include "report/format.h"
#include "report/graph.h"
#include "report/head.h"
#include "report/tree.h"
#include "report/view.h"
#include "util/style.h"

#define SHOW_AFTER 300000000	/* ns that a call must run before its line is shown */

static int begin(struct view *view, struct err *err)
{
	struct tree_options options = {
		.with_timestamp = style_get()->has_time,
		.start = view->from,
	};

	(void)err;
	view->state = tree_create(view->out, view->names, &options);
	tree_head(view->state);
	return 0;
}

static void take_event(void *view, const struct ktr_record *event)
{
	tree_event(((struct view *)view)->state, event);
}

static bool flush(struct view *view)
{
	tree_settle(view->state);
	return true;
}

/*
 * Uses the clock of the read, not the current time: the return of a call that has ended since is
 * not read yet.
 */
static void tick(struct view *view, uint64_t clock)
{
	if (clock > SHOW_AFTER)
		tree_flush(view->state, clock - SHOW_AFTER);
}

static void set_start(struct view *view)
{
	tree_set_start(view->state, view->from);
}

static int end(struct view *view, struct err *err)
{
	(void)err;
	tree_flush(view->state, UINT64_MAX);
	tree_free(view->state);
	return 0;
}

static int print_graph(struct view *view, struct ktr *ktr)
{
	struct table functions;
	struct graph graph;
	int error = view_read_functions(view, ktr, &functions);

	head_print(view->out);
	if (!error) {
		error = graph_read(&graph, ktr, view->session.id, view->trace->read_flags);
		graph_set_rows(&graph, &functions);
		if (!error)
			graph_print(view->out, &graph, view->names);
		graph_free(&graph);
	}
	table_free(&functions);
	return error;
}

const struct output_format format_tree = {
	.name = "tree",
	.kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_REPLAYS "|" FORMATS_OF_CALLS "|" FORMATS_OF_PICTURES,
	.note = "needs a stream: the calls as they happen",
	.note_kinds = FORMATS_OF_PICTURES,
	.sinks = KTRACE_SINK_STREAM,
	.needs = KTRACE_SINK_STREAM | KTRACE_SINK_TREE,
	.begin = begin,
	.event = take_event,
	.flush = flush,
	.tick = tick,
	.set_start = set_start,
	.end = end,
	.figures = print_graph,
};
