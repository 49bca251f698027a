// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/json_parts.h"
#include "report/sched_table.h"
#include "report/stack_table.h"

struct json_object *sched_document(const struct knl_session *session, const struct table *threads,
				   const struct table *stacks)
{
	struct json_object *document = json_document_of(session);

	sched_add_json(document, threads);
	if (stacks)
		json_add(document, "stacks", stack_table_json(stacks));
	return document;
}
