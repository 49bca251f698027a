// SPDX-License-Identifier: GPL-2.0
/* Records as they happen, one line each. */
#include "report/format.h"
#include "report/record.h"
#include "report/view.h"
#include "util/demangle.h"
#include "util/fmt.h"
#include "util/style.h"

static int begin(struct view *view, struct err *err)
{
	(void)err;
	style_begin(view->out, STYLE_TITLE);
	out_put(view->out, "%*s  %6s  %-5s  %8s  %s\n", style_moment_width(9),
		"TIME", "TID", "EVENT", "DURATION", "FUNCTION");
	style_end(view->out, STYLE_TITLE);
	return 0;
}

static void print_call(struct view *view, const struct ktr_record *event)
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

static void take_event(void *arg, const struct ktr_record *event)
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

const struct output_format format_flat = {
	.name = "flat",
	.kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_REPLAYS "|" FORMATS_OF_CALLS,
	.sinks = KTRACE_SINK_STREAM,
	.needs = KTRACE_SINK_STREAM,
	.begin = begin,
	.event = take_event,
};
