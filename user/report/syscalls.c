// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include <json-c/json.h>

#include "report/json.h"
#include "report/json_write.h"
#include "report/layout.h"
#include "report/syscall_names.h"
#include "report/syscalls.h"
#include "report/table_read.h"
#include "util/out.h"

/* --- reading ------------------------------------------------------------------ */

void syscalls_init(struct syscalls *syscalls)
{
	table_init(&syscalls->calls, &syscalls_kind);
	table_init(&syscalls->errors, &syscalls_errors_kind);
}

struct row *syscalls_add(struct table *table, uint32_t func)
{
	struct row *row = table_add(table);
	bool is_compat = syscall_is_compat(func);
	char name[SYSCALL_NAME_LEN];

	row->keys[SYSCALLS_ABI].number = is_compat;
	row->keys[SYSCALLS_ABI].text = is_compat ? "i386" : "x86-64";
	row->keys[SYSCALLS_NAME].number = func;
	row->keys[SYSCALLS_NAME].text = table_text(table, "%s", syscall_text(name, func));
	return row;
}

static struct row *add(void *arg, struct table *table, const struct ktr_row *row)
{
	(void)arg;
	return syscalls_add(table, ktr_row_key(row, KTRACE_KEY_SYSCALL));
}

/* Calls without an error have a row in the module's table; it is skipped. */
static struct row *add_error(void *arg, struct table *table, const struct ktr_row *row)
{
	return ktr_row_key(row, KTRACE_KEY_ERRNO) ? add(arg, table, row) : NULL;
}

int syscalls_read(struct syscalls *syscalls, struct ktr *ktr, const struct ktr_session *session,
		  uint32_t read_flags)
{
	struct table *calls = &syscalls->calls;
	struct table_source own = { .to = calls, .add = add };
	struct table_source by_errno = { .to = &syscalls->errors, .add = add_error };
	int error;

	syscalls_init(syscalls);
	error = table_read(&own, &by_errno, ktr, session->id, read_flags);
	calls->flags = (session->flags & KTRACE_F_PAGES ? SYSCALLS_PAGES : 0) |
		       (session->flags & KTRACE_F_CPU_TIME ? SYSCALLS_CPU_TIME : 0);
	syscalls->errors.flags = calls->flags;
	return error;
}

void syscalls_use_cpu_time(struct syscalls *syscalls)
{
	struct row *row = syscalls->calls.rows, *end = row + syscalls->calls.nr;

	for (; row < end; row++)
		row->parts->figures[FIG_TOTAL] = row->parts->figures[FIG_SELF];
}

void syscalls_free(struct syscalls *syscalls)
{
	table_free(&syscalls->calls);
	table_free(&syscalls->errors);
}

/* --- tables ------------------------------------------------------------------- */

static const struct key_kind keys[] = {
	[SYSCALLS_ABI] = { "abi", key_by_number },
	[SYSCALLS_NAME] = { "name", key_by_text, .title = "syscall", .width = 16, .is_left = true },
	[SYSCALLS_ERRNO] = { "errno", key_by_number, KTRACE_KEY_ERRNO, .width = 16, .is_left = true },
};

#define NAME(...)									\
	{ .key = SYSCALLS_NAME, .is_of_total = true, __VA_ARGS__ }
#define TIME(id, ...)	FIGURE(id, .needs = FIG_CALLS, .none = "-", __VA_ARGS__)

static const struct column columns[] = {
	NAMED(TOTAL_OF_ALL, "% time"), TIME(TOTAL), FIGURE(CALLS), FIGURE(CALL_RATE, .drop = 6),
	RESULT(.width = 8, .drop = 1), TIME(AVG, .drop = 1), TIME(P50, .drop = 1),
	TIME(P99, .drop = 1), TIME(MAX, .drop = 5, .when = SYSCALLS_WIDE),
	FIGURE(BYTES, .needs = FIG_BYTES, .drop = 2, .when = SYSCALLS_WIDE),
	NAMED(BYTES_EACH, "bytes/call", .needs = FIG_BYTES, .drop = 3, .when = SYSCALLS_WIDE),
	FIGURE(GAP, .needs = FIG_GAPS, .drop = 4, .when = SYSCALLS_WIDE),
	NAME(),
};

static const struct layout screen = {
	COLUMNS(columns), .has_rule = true, .has_total = true, .tells_dropped = SYSCALLS_WIDE,
};

static const struct column page_columns[] = {
	FIGURE(CALLS), FIGURE(PAGE_HITS, .width = 8), FIGURE(PAGE_MISSES, .width = 8),
	FIGURE(HITS_OF_PAGES, .needs = FIG_PAGES_TOUCHED), NAMED(PAGES_AHEAD, "read ahead", .sort = "ahead"),
	FIGURE(PAGES_DIRTIED, .width = 8), FIGURE(PAGES_EACH, .drop = 1),
	FIGURE(DIRTIED_EACH, .drop = 1), NAME(.title = "pages of"),
};

static bool has_pages(const struct table *table, const struct row *row)
{
	(void)table;
	return row_figure(row, FIG_PAGES_ANY, 0);
}

/* The effects of calls on the page cache. */
static const struct layout pages = {
	COLUMNS(page_columns), .has_rule = true, .has_total = true, .when = SYSCALLS_PAGES,
	.is_shown = has_pages, .empty = "No call used the page cache.",
};

static const struct column members[] = {
	{ .key = SYSCALLS_NAME }, { .key = SYSCALLS_ABI }, FIGURE(CALLS), RESULT(),
	FIGURE(TOTAL), NAMED(SELF, "cpu_ns", .when = SYSCALLS_CPU_TIME),
	PAGES(.when = SYSCALLS_PAGES),
	FIGURE(AVG), FIGURE(BYTES), FIGURE(GAPS), FIGURE(GAP_TIME), DISTRIBUTION(),
};

static const struct layout json = { COLUMNS(members) };

const struct table_kind syscalls_kind = {
	.keys = keys, .nr_keys = SYSCALLS_NAME + 1, .nr_leading = SYSCALLS_ABI + 1,
	.needs = FIG_CALLS, .screens = { &screen, &pages }, .json = &json,
};

static const struct column error_columns[] = {
	NAMED(CALLS, "errors", .sort = "errors"),
	{ .key = SYSCALLS_ERRNO, .indent = 1 },
	{ .key = SYSCALLS_NAME },
};

static const struct column error_members[] = {
	{ .key = SYSCALLS_NAME }, { .key = SYSCALLS_ABI }, { .key = SYSCALLS_ERRNO }, FIGURE(CALLS),
};

static const struct layout error_screen = { COLUMNS(error_columns) };
static const struct layout error_json = { COLUMNS(error_members) };

/* Errors by call and errno. */
const struct table_kind syscalls_errors_kind = {
	.keys = keys, .nr_keys = SYSCALLS_ERRNO + 1, .nr_leading = SYSCALLS_ABI + 1,
	.needs = FIG_CALLS, .screens = { &error_screen }, .json = &error_json,
};

bool syscalls_need_pages(const char *column)
{
	return !layout_find(&syscalls_kind, &screen, column, 0) &&
	       layout_find(&syscalls_kind, &pages, column, 0);
}

void syscalls_sort(struct syscalls *syscalls, const char *column)
{
	table_sort(&syscalls->calls, column);
	table_sort(&syscalls->errors, "errors");
}

static void print_group(FILE *out, const struct syscalls *syscalls, const struct table *calls)
{
	struct table failed = table_slice(&syscalls->errors, calls->rows, SYSCALLS_ABI + 1);

	if (calls->rows->keys[SYSCALLS_ABI].number)
		out_put(out, "32-bit system calls:\n");
	table_print(out, calls);
	if (!failed.nr)
		return;
	fputc('\n', out);
	table_print(out, &failed);
}

void syscalls_print(FILE *out, const struct syscalls *syscalls)
{
	const struct table *calls = &syscalls->calls;
	struct table group;
	size_t i;

	if (!calls->nr)
		out_put(out, "No system call was counted.\n");
	for (i = 0; i < calls->nr; i += group.nr) {
		group = table_slice(calls, &calls->rows[i], SYSCALLS_ABI + 1);
		if (i)
			fputc('\n', out);
		print_group(out, syscalls, &group);
	}
	if (syscalls->errors.others.parts)
		out_put(out, "\nThe errors of %llu more calls have no rows: the table is full.\n",
			(unsigned long long)row_figure(&syscalls->errors.others, FIG_CALLS, 0));
}

void syscalls_print_hists(FILE *out, const struct syscalls *syscalls, const struct match *names)
{
	const struct row *row = syscalls->calls.rows, *end = row + syscalls->calls.nr;

	for (; row < end; row++) {
		if (!match_name(names, row->keys[SYSCALLS_NAME].text))
			continue;
		out_put(out, "\n%s%s\n", row->keys[SYSCALLS_NAME].text,
			row->keys[SYSCALLS_ABI].number ? " (32-bit)" : "");
		hist_print(out, &row->parts->hist);
	}
}

struct json_object *syscalls_document(const struct ktr_session *session,
				      const struct syscalls *syscalls)
{
	struct json_object *document = json_document_of(session);

	json_add_table(document, "rows", &syscalls->calls);
	if (syscalls->calls.flags & SYSCALLS_ERRORS)
		json_add_table(document, "errors", &syscalls->errors);
	if (syscalls->errors.others.parts)
		json_add_u64(document, "others", row_figure(&syscalls->errors.others, FIG_CALLS, 0));
	return document;
}
