// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "report/layout.h"
#include "report/syscall_names.h"
#include "report/syscalls.h"
#include "report/table_read.h"
#include "util/out.h"

static const struct key_kind keys[] = {
	[SYSCALLS_ABI] = { "abi", .compare = key_by_number },
	[SYSCALLS_NAME] = { "syscall", .compare = key_by_text },
	[SYSCALLS_ERRNO] = { "errno", key_by_number, KTRACE_KEY_ERRNO },
};

/* --- reading ------------------------------------------------------------------ */

void syscalls_init(struct syscalls *syscalls)
{
	table_init(&syscalls->calls, keys, SYSCALLS_NAME + 1, 1);
	table_init(&syscalls->errors, keys, SYSCALLS_ERRNO + 1, 1);
	syscalls->calls.nr_leading = syscalls->errors.nr_leading = SYSCALLS_ABI + 1;
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

static struct row *add(void *arg, struct table *table, const struct knl_row *row)
{
	(void)arg;
	return syscalls_add(table, knl_row_key(row, KTRACE_KEY_SYSCALL));
}

/* Calls without an error have a row in the module's table; it is skipped. */
static struct row *add_error(void *arg, struct table *table, const struct knl_row *row)
{
	return knl_row_key(row, KTRACE_KEY_ERRNO) ? add(arg, table, row) : NULL;
}

int syscalls_read(struct syscalls *syscalls, struct knl *nl, const struct knl_session *session,
		  uint32_t read_flags)
{
	struct table *calls = &syscalls->calls;
	struct table_source own = {
		.to = calls, .needs = FIG_CALLS, .add = add,
	}, by_errno = {
		.to = &syscalls->errors, .needs = FIG_CALLS, .add = add_error,
	};
	int error;

	syscalls_init(syscalls);
	error = table_read(&own, &by_errno, nl, session->id, read_flags);
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

#define NAME(text)									\
	{ text, .sort = "name", .format = FORMAT_KEY, .key = SYSCALLS_NAME, .width = 16,	\
	  .is_left = true, .is_of_total = true }
#define TIME(text, name, what, ...)							\
	{ text, .sort = (name), .format = FORMAT_TIME, .figure = (what), .width = 8,	\
	  .needs = FIG_CALLS, .none = "-", __VA_ARGS__ }

static const struct column columns[] = {
	{ "% time", .format = FORMAT_PERCENT, .figure = FIG_TOTAL, .per = FIG_WHOLE, .decimals = 2,
	  .width = 6 },
	TIME("total", "total", FIG_TOTAL),
	{ "calls", .sort = "calls", .figure = FIG_CALLS, .width = 9 },
	{ "/s", .format = FORMAT_RATE, .figure = FIG_CALLS, .per = FIG_SECONDS, .width = 8,
	  .drop = 5 },
	{ "errors", .sort = "errors", .figure = FIG_ERRORS, .width = 8, .needs = FIG_ERRORS },
	TIME("avg", "avg", FIG_AVG),
	TIME("p50", NULL, FIG_P50, .is_of_rows = true),
	TIME("p99", "p99", FIG_P99, .is_of_rows = true),
	TIME("max", "max", FIG_MAX, .drop = 4, .when = SYSCALLS_WIDE),
	{ "bytes", .sort = "bytes", .format = FORMAT_BYTES, .figure = FIG_BYTES, .width = 9,
	  .needs = FIG_BYTES, .drop = 1, .when = SYSCALLS_WIDE },
	{ "bytes/call", .format = FORMAT_BYTES, .figure = FIG_BYTES, .per = FIG_CALLS, .width = 10,
	  .needs = FIG_BYTES, .is_of_rows = true, .drop = 2, .when = SYSCALLS_WIDE },
	{ "gap", .format = FORMAT_TIME, .figure = FIG_GAP_TIME, .per = FIG_GAPS, .width = 8,
	  .needs = FIG_GAPS, .is_of_rows = true, .drop = 3, .when = SYSCALLS_WIDE },
	NAME("syscall"),
};

static const struct layout layout = {
	COLUMNS(columns), .begin = "", .gap = " ", .has_rule = true, .has_total = true,
	.tells_dropped = SYSCALLS_WIDE,
};

static const struct column page_columns[] = {
	{ "calls", .figure = FIG_CALLS, .width = 9 },
	{ "hits", .sort = "hits", .figure = FIG_PAGE_HITS, .width = 8 },
	{ "misses", .sort = "misses", .figure = FIG_PAGE_MISSES, .width = 8 },
	{ "hit %", .format = FORMAT_PERCENT, .figure = FIG_PAGE_HITS, .per = FIG_PAGES_TOUCHED,
	  .decimals = 2, .width = 6, .needs = FIG_PAGES_TOUCHED },
	{ "read ahead", .sort = "ahead", .figure = FIG_PAGES_AHEAD, .width = 10 },
	{ "dirtied", .sort = "dirtied", .figure = FIG_PAGES_DIRTIED, .width = 8 },
	{ "pages/call", .format = FORMAT_REAL, .figure = FIG_PAGES_TOUCHED, .per = FIG_CALLS,
	  .decimals = 1, .width = 10, .drop = 1 },
	{ "dirty/call", .format = FORMAT_REAL, .figure = FIG_PAGES_DIRTIED, .per = FIG_CALLS,
	  .decimals = 1, .width = 10, .drop = 1 },
	NAME("pages of"),
};

static bool has_pages(const struct table *table, const struct row *row)
{
	(void)table;
	return row_figure(row, FIG_PAGES_ANY, 0);
}

/* The effects of calls on the page cache. */
static const struct layout pages = {
	COLUMNS(page_columns), .begin = "", .gap = " ", .has_rule = true, .has_total = true,
	.is_shown = has_pages, .empty = "No call used the page cache.",
};

static const struct column error_columns[] = {
	{ "errors", .sort = "errors", .figure = FIG_CALLS, .width = 9 },
	{ "errno", .format = FORMAT_KEY, .key = SYSCALLS_ERRNO, .indent = 1, .width = 16,
	  .is_left = true },
	{ "syscall", .format = FORMAT_KEY, .key = SYSCALLS_NAME, .is_left = true },
};

/* Errors by call and errno. */
static const struct layout errors = { COLUMNS(error_columns), .begin = "", .gap = " " };

void syscalls_sort(struct syscalls *syscalls, const char *column)
{
	table_sort(&syscalls->calls, &layout, column);
	table_sort(&syscalls->calls, &pages, column);
	table_sort(&syscalls->errors, &errors, "errors");
}

static void print_group(FILE *out, const struct syscalls *syscalls, const struct table *calls)
{
	struct table failed = table_slice(&syscalls->errors, calls->rows, SYSCALLS_ABI + 1);

	if (calls->rows->keys[SYSCALLS_ABI].number)
		out_put(out, "32-bit system calls:\n");
	table_print(out, calls, &layout);
	if (calls->flags & SYSCALLS_PAGES) {
		fputc('\n', out);
		table_print(out, calls, &pages);
	}
	if (!failed.nr)
		return;
	fputc('\n', out);
	table_print(out, &failed, &errors);
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

/* --- JSON --------------------------------------------------------------------- */

#define MEMBER_PAGES(text, what)							\
	{ "pages." text, .figure = (what), .when = SYSCALLS_PAGES }

static const struct column members[] = {
	{ "name", .format = FORMAT_KEY, .key = SYSCALLS_NAME },
	{ "abi", .format = FORMAT_KEY, .key = SYSCALLS_ABI },
	{ "calls", .figure = FIG_CALLS },
	{ "errors", .figure = FIG_ERRORS },
	{ "total_ns", .figure = FIG_TOTAL },
	{ "cpu_ns", .figure = FIG_SELF, .when = SYSCALLS_CPU_TIME },
	MEMBER_PAGES("hits", FIG_PAGE_HITS),
	MEMBER_PAGES("misses", FIG_PAGE_MISSES),
	MEMBER_PAGES("read_ahead", FIG_PAGES_AHEAD),
	MEMBER_PAGES("dirtied", FIG_PAGES_DIRTIED),
	{ "avg_ns", .figure = FIG_AVG },
	{ "bytes", .figure = FIG_BYTES },
	{ "gaps", .figure = FIG_GAPS },
	{ "gap_ns", .figure = FIG_GAP_TIME },
	DISTRIBUTION("", 0, 0, 0),
};

static const struct column error_members[] = {
	{ "name", .format = FORMAT_KEY, .key = SYSCALLS_NAME },
	{ "abi", .format = FORMAT_KEY, .key = SYSCALLS_ABI },
	{ "errno", .format = FORMAT_KEY, .key = SYSCALLS_ERRNO },
	{ "calls", .figure = FIG_CALLS },
};

static const struct layout json_calls = { COLUMNS(members) };
static const struct layout json_errors = { COLUMNS(error_members) };

struct json_object *syscalls_json(const struct syscalls *syscalls)
{
	return table_json(&syscalls->calls, &json_calls);
}

struct json_object *syscalls_errors_json(const struct syscalls *syscalls)
{
	return table_json(&syscalls->errors, &json_errors);
}
