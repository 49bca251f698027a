// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include <json-c/json.h>

#include "report/json_write.h"
#include "report/stack_frames.h"
#include "util/fmt.h"
#include "util/out.h"

#define INDENT "                "

const char *stack_end(const struct stack *stack, bool is_kernel)
{
	if (is_kernel)
		return stack->flags & KTRACE_STACK_KERNEL_CUT ? "[truncated]" : NULL;
	return stack->flags & KTRACE_STACK_USER_CUT ? "[truncated]" :
	       stack->flags & KTRACE_STACK_USER_GONE ? "[not in memory]" :
	       stack->flags & KTRACE_STACK_USER_NO_RULE ? "[no unwind rule]" : NULL;
}

/* True for "name" and "name [module]". function may be "module:name" or "name [place]". */
static bool is_name_of(const char *frame, const char *function)
{
	const char *colon = strchr(function, ':');
	size_t len;

	function = colon ? colon + 1 : function;
	len = fmt_name_len(function);
	return !strncmp(frame, function, len) && (!frame[len] || frame[len] == ' ');
}

size_t stack_first(const struct stack *stack, const char *function)
{
	size_t i;

	for (i = 0; i < stack->nr_kernel; i++)
		if (is_name_of(stack->frames[i], function))
			return i + 1;
	return 0;
}

/* --- text ------------------------------------------------------------------- */

static void print_frames(FILE *out, const struct stack *stack, size_t from, size_t to,
			 bool is_kernel)
{
	const char *end = stack_end(stack, is_kernel);
	size_t i;

	for (i = from; i < to; i++)
		out_put(out, INDENT "%s\n", stack->frames[i]);
	if (end)
		out_put(out, INDENT "%s\n", end);
}

void stack_print(FILE *out, const struct stack *stack, size_t first)
{
	if (!stack || !stack->nr) {
		out_put(out, INDENT "[no stack]\n");
		return;
	}
	print_frames(out, stack, first, stack->nr_kernel, true);
	if (stack->nr_kernel > first && stack->nr > stack->nr_kernel)
		out_put(out, INDENT "--\n");
	print_frames(out, stack, stack->nr_kernel, stack->nr, false);
}

/* --- paths ------------------------------------------------------------------ */

static size_t add_frames(struct paths *paths, size_t path, const struct stack *stack, size_t from,
			 size_t to, bool is_kernel)
{
	const char *end = stack_end(stack, is_kernel);

	if (end)
		path = paths_child(paths, path, end);
	while (to > from)
		path = paths_child(paths, path, stack->frames[--to]);
	return path;
}

size_t stack_add_path(struct paths *paths, size_t path, const struct stack *stack, size_t first)
{
	path = add_frames(paths, path, stack, stack->nr_kernel, stack->nr, false);
	return add_frames(paths, path, stack, first, stack->nr_kernel, true);
}

/* --- JSON ------------------------------------------------------------------- */

static struct json_object *frames_of(const struct stack *stack, size_t from, size_t to)
{
	struct json_object *list = json_object_new_array();

	for (; from < to; from++)
		json_object_array_add(list, json_object_new_string(stack->frames[from]));
	return list;
}

void stack_add_json(struct json_object *to, const struct stack *stack, size_t first)
{
	json_add(to, "kernel", frames_of(stack, first, stack->nr_kernel));
	if (stack_end(stack, true))
		json_add_text(to, "kernel_end", stack_end(stack, true));
	json_add(to, "user", frames_of(stack, stack->nr_kernel, stack->nr));
	if (stack_end(stack, false))
		json_add_text(to, "user_end", stack_end(stack, false));
}
