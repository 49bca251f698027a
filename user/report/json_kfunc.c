// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/errno_names.h"
#include "report/json_parts.h"
#include "report/kfunc_event.h"
#include "report/kfunc_figures.h"
#include "report/stack_frames.h"
#include "report/stack_table.h"

void json_print_kfuncs(FILE *out, const struct kfunc_figures *figures, bool is_line)
{
	struct json_object *document = json_document_of(figures->session);
	uint32_t sinks = figures->session->sinks, flags = figures->session->flags;

	json_add(document, "rows", functions_json(&figures->functions));
	if (flags & KTRACE_F_ERRORS)
		json_add(document, "chains", chains_json(&figures->chains));
	if ((sinks & KTRACE_SINK_STACKS) && (sinks & KTRACE_SINK_TREE))
		json_add(document, "stacks", stack_table_json(&figures->stacks));
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}

void json_print_kfunc_event(FILE *out, const struct event *event, const struct kplan *plan,
			    const struct stacks *stacks)
{
	char name[ERRNO_NAME_LEN];
	struct json_object *to;
	struct kfunc_event call;

	kfunc_event_parse(&call, event, plan);
	to = json_event_of(event, call.comm);
	json_add_text(to, "name", call.name);
	json_add_u64(to, "duration_ns", event->duration);
	if (call.has_result)
		json_add(to, "return", json_s64(call.ret));
	if (call.error)
		json_add_text(to, "errno", errno_text(name, call.error));
	json_add_event_stack(to, event, stacks, call.name);
	json_write(out, to, 0);
}
