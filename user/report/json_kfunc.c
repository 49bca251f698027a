// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/json_parts.h"
#include "report/kfunc_figures.h"
#include "report/stack_table.h"

struct json_object *kfunc_document(const struct kfunc_figures *figures)
{
	struct json_object *document = json_document_of(figures->session);
	uint32_t sinks = figures->session->sinks, flags = figures->session->flags;

	json_add(document, "rows", functions_json(&figures->functions));
	if (flags & KTRACE_F_ERRORS)
		json_add(document, "chains", chains_json(&figures->chains));
	if ((sinks & KTRACE_SINK_STACKS) && (sinks & KTRACE_SINK_TREE))
		json_add(document, "stacks", stack_table_json(&figures->stacks));
	return document;
}
