// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>
#include <stdlib.h>

#include "report/errno_names.h"
#include "report/json_parts.h"
#include "report/syscall_event.h"
#include "report/syscall_table.h"

static void add_abi(struct json_object *to, uint32_t func)
{
	json_add_text(to, "abi", syscall_is_compat(func) ? "i386" : "x86-64");
}

/* null: it could not be read. */
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
		json_object_array_add(args, json_object_new_int64(call.call.args[i]));
	json_add(to, "args", args);
	if (call.path[0])
		json_add_text(to, "path", call.path);
	add_name(to, &call.name);
	json_add(to, "return", json_object_new_int64(call.call.ret));
	if (call.error)
		json_add_text(to, "errno", errno_text(errno_name, call.error));
	json_add_event_stack(to, event, stacks, NULL);
	json_write(out, to, 0);
}

static void add_times(struct json_object *to, const struct syscall_row *row)
{
	const struct ktrace_stats *stats = &row->stats;

	json_add_u64(to, "avg_ns", (stats->total_ns + stats->calls / 2) / stats->calls);
	json_add_u64(to, "bytes", stats->bytes);
	json_add_u64(to, "gaps", stats->gaps);
	json_add_u64(to, "gap_ns", stats->gap_ns);
	json_add_distribution(to, stats, &row->hist);
}

static struct json_object *pages_of(const struct ktrace_stats *stats)
{
	struct json_object *to = json_object_new_object();

	json_add_u64(to, "hits", stats->page_hits);
	json_add_u64(to, "misses", stats->page_misses);
	json_add_u64(to, "read_ahead", stats->pages_ahead);
	json_add_u64(to, "dirtied", stats->pages_dirtied);
	return to;
}

static struct json_object *row_of(const struct syscall_row *row, bool has_cpu_time, bool has_pages)
{
	struct json_object *to = json_object_new_object();

	if (row->tid)
		json_add_u64(to, "tid", row->tid);
	if (row->comm)
		json_add_text(to, "comm", row->comm);
	json_add_text(to, "name", row->name);
	add_abi(to, row->func);
	json_add_u64(to, "calls", row->stats.calls);
	json_add_u64(to, "errors", row->stats.errors);
	json_add_u64(to, "total_ns", row->stats.total_ns);
	if (has_cpu_time)
		json_add_u64(to, "cpu_ns", row->stats.self_ns);
	if (has_pages)
		json_add(to, "pages", pages_of(&row->stats));
	if (!row->tid)
		add_times(to, row);
	return to;
}

static struct json_object *error_of(const struct syscall_error *error)
{
	struct json_object *to = json_object_new_object();
	char name[SYSCALL_NAME_LEN], errno_name[ERRNO_NAME_LEN];

	if (error->tid)
		json_add_u64(to, "tid", error->tid);
	json_add_text(to, "name", syscall_text(name, error->func));
	add_abi(to, error->func);
	json_add_text(to, "errno", errno_text(errno_name, error->error));
	json_add_u64(to, "calls", error->calls);
	return to;
}

struct json_object *json_syscalls_of(const struct syscall_rows *rows, bool has_cpu_time)
{
	struct json_object *list = json_object_new_array();
	size_t i;

	for (i = 0; i < rows->nr; i++)
		json_object_array_add(list, row_of(&rows->rows[i], has_cpu_time,
						   rows->has_pages));
	return list;
}

void json_print_syscalls(FILE *out, const struct knl_session *session,
			 const struct syscall_rows *rows, uint64_t duration_ns, bool is_line)
{
	struct json_object *document = json_gathered_of(session, duration_ns);
	struct json_object *errors = json_object_new_array();
	size_t i;

	for (i = 0; i < rows->nr_errors; i++)
		json_object_array_add(errors, error_of(&rows->errors[i]));
	json_add(document, "syscalls", json_syscalls_of(rows, session->flags & KTRACE_F_CPU_TIME));
	if (session->flags & KTRACE_F_TREE)
		json_add(document, "errors", errors);
	else
		json_object_put(errors);
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}
