// SPDX-License-Identifier: GPL-2.0
/* A folder in the Common Trace Format, for babeltrace2 and others. */
#include "report/ctf.h"
#include "report/format.h"
#include "report/view.h"

static int begin(struct view *view, struct err *err)
{
	view->state = ctf_create(view->trace->output.path, &view->session, view->names, err);
	return view->state ? 0 : -1;
}

static void take_event(void *view, const struct ktr_record *event)
{
	ctf_event(((struct view *)view)->state, event);
}

static bool flush(struct view *view)
{
	return !ctf_flush(view->state);
}

static void name_process(struct view *view, uint32_t pid, const char *program)
{
	ctf_name_process(view->state, pid, program);
}

static int end(struct view *view, struct err *err)
{
	return ctf_finish(view->state, err);
}

const struct output_format format_ctf = {
	.name = "ctf",
	.kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_CALLS,
	.note = "a folder, with -o",
	.note_kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_CALLS,
	.is_data = true,
	.is_folder = true,
	.sinks = KTRACE_SINK_STREAM,
	.needs = KTRACE_SINK_STREAM,
	.begin = begin,
	.event = take_event,
	.flush = flush,
	.name_process = name_process,
	.end = end,
};
