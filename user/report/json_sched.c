// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/json_parts.h"
#include "report/sched_event.h"
#include "report/sched_table.h"
#include "report/stack_frames.h"
#include "report/stack_table.h"

void json_print_sched(FILE *out, const struct knl_session *session, const struct table *threads,
		      const struct table *stacks, bool is_line)
{
	struct json_object *document = json_document_of(session);

	sched_add_json(document, threads);
	if (stacks)
		json_add(document, "stacks", stack_table_json(stacks));
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}

void json_print_sched_event(FILE *out, const struct event *event, const struct stacks *stacks)
{
	struct sched_event period;
	struct json_object *to;

	sched_event_parse(&period, event);
	to = json_event_of(event, period.comm);
	json_add_text(to, "kind", period.kind);
	json_add_u64(to, "duration_ns", event->duration);
	json_add_event_stack(to, event, stacks, NULL);
	json_write(out, to, 0);
}
