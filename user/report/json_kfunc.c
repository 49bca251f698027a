// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/json_parts.h"
#include "report/kfunc_figures.h"
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
