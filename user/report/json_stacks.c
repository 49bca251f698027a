// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/json_parts.h"
#include "report/stack_rows.h"
#include "session/event.h"

static struct json_object *frames_of(const struct stack *stack, size_t from, size_t to)
{
	struct json_object *list = json_object_new_array();

	for (; from < to; from++)
		json_object_array_add(list, json_object_new_string(stack->frames[from]));
	return list;
}

static void add_stack(struct json_object *to, const struct stack *stack, size_t first)
{
	if (!stack)
		return;
	json_add(to, "kernel", frames_of(stack, first, stack->nr_kernel));
	if (stack_end(stack, true))
		json_add_text(to, "kernel_end", stack_end(stack, true));
	json_add(to, "user", frames_of(stack, stack->nr_kernel, stack->nr));
	if (stack_end(stack, false))
		json_add_text(to, "user_end", stack_end(stack, false));
}

void json_add_event_stack(struct json_object *to, const struct event *event,
			  const struct stacks *stacks, const char *function)
{
	const struct stack *stack = stacks_get(stacks, event->stack);
	struct json_object *frames = NULL;

	if (!event->has_stack)
		return;
	if (stack && stack->nr) {
		frames = json_object_new_object();
		add_stack(frames, stack, function ? stack_first(stack, function) : 0);
	}
	json_add(to, "stack", frames);
}

struct json_object *json_stacks_of(const struct stack_rows *rows)
{
	struct json_object *list = json_object_new_array(), *to;
	const struct stack_row *row;

	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		to = json_object_new_object();
		if (row->comm)
			json_add_text(to, "comm", row->comm);
		json_add_text(to, rows->is_of_calls ? "name" : "kind", row->kind);
		json_add_u64(to, "count", row->calls);
		json_add_u64(to, "total_ns", row->total_ns);
		if (row->stack && !rows->is_of_calls)
			json_add_u64(to, "max_ns", row->max_ns);
		add_stack(to, row->stack, row->first);
		json_object_array_add(list, to);
	}
	return list;
}
