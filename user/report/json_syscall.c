// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <stdlib.h>

#include "report/errno_names.h"
#include "report/json_parts.h"
#include "report/stack_frames.h"
#include "report/syscall_event.h"
#include "report/syscall_names.h"
#include "report/syscalls.h"

static void add_abi(struct json_object *to, uint32_t func)
{
	json_add_text(to, "abi", syscall_is_compat(func) ? "i386" : "x86-64");
}

/* Adds the file name of a call; null if it could not be read. */
static void add_name(struct json_object *to, const struct value *name)
{
	bool is_cut = name->state == KTRACE_STRING_CUT;

	if (!name->kind)
		return;
	if (!is_cut && name->state != KTRACE_STRING_WHOLE) {
		json_add(to, "filename", NULL);
		return;
	}
	json_add(to, "filename", json_object_new_string_len(name->text, name->len));
	if (is_cut)
		json_add(to, "is_filename_cut", json_object_new_boolean(true));
}

void json_print_syscall_event(FILE *out, const struct event *event, const struct stacks *stacks)
{
	struct json_object *args = json_object_new_array(), *to;
	char name[SYSCALL_NAME_LEN], errno_name[ERRNO_NAME_LEN];
	struct syscall_event call;
	int i;

	syscall_event_parse(&call, event);
	to = json_event_of(event, call.comm);
	json_add_text(to, "name", syscall_text(name, event->func));
	add_abi(to, event->func);
	json_add_u64(to, "duration_ns", event->duration);
	for (i = 0; i < 6; i++)
		json_object_array_add(args, json_s64(call.call.args[i]));
	json_add(to, "args", args);
	if (call.path[0])
		json_add_text(to, "path", call.path);
	add_name(to, &call.name);
	json_add(to, "return", json_s64(call.call.ret));
	if (call.error)
		json_add_text(to, "errno", errno_text(errno_name, call.error));
	json_add_event_stack(to, event, stacks, NULL);
	json_write(out, to, 0);
}

void json_print_syscalls(FILE *out, const struct knl_session *session,
			 const struct syscalls *syscalls, bool is_line)
{
	struct json_object *document = json_document_of(session);

	json_add(document, "rows", syscalls_json(syscalls));
	if (syscalls->calls.flags & SYSCALLS_ERRORS)
		json_add(document, "errors", syscalls_errors_json(syscalls));
	if (syscalls->errors.others.parts)
		json_add_u64(document, "others", row_figure(&syscalls->errors.others, FIG_CALLS, 0));
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}
