// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/errno_names.h"
#include "report/syscall_table.h"
#include "util/out.h"

#define DASHES "------------------------------"

static double usecs(uint64_t ns)
{
	return ns / 1e3;
}

static void print_head(FILE *out, bool is_wide)
{
	out_put(out, "%6s %11s %11s %9s %9s ", "% time", "seconds", "usecs/call", "calls",
		"errors");
	if (is_wide)
		out_put(out, "%9s %9s %9s %12s %10s %9s ", "p50", "p99", "max", "bytes",
			"bytes/call", "gap");
	out_put(out, "syscall\n");
}

static void print_rule(FILE *out, bool is_wide)
{
	out_put(out, "%.6s %.11s %.11s %.9s %.9s ", DASHES, DASHES, DASHES, DASHES, DASHES);
	if (is_wide)
		out_put(out, "%.9s %.9s %.9s %.12s %.10s %.9s ", DASHES, DASHES, DASHES,
			DASHES, DASHES, DASHES);
	out_put(out, "%.16s\n", DASHES);
}

static void print_errors(FILE *out, uint64_t errors)
{
	if (errors)
		out_put(out, "%9llu ", (unsigned long long)errors);
	else
		out_put(out, "%9s ", "");
}

static void print_wide(FILE *out, const struct syscall_row *row)
{
	const struct ktrace_stats *stats = &row->stats;

	out_put(out, "%9.1f %9.1f %9.1f ", usecs(syscall_percentile(row, 500)),
		usecs(syscall_percentile(row, 990)), usecs(stats->max_ns));
	if (stats->bytes)
		out_put(out, "%12llu %10llu ", (unsigned long long)stats->bytes,
			(unsigned long long)(stats->bytes / stats->calls));
	else
		out_put(out, "%12s %10s ", "", "");
	if (stats->gaps)
		out_put(out, "%9.1f ", usecs(stats->gap_ns / stats->gaps));
	else
		out_put(out, "%9s ", "");
}

static void print_row(FILE *out, const struct syscall_row *row, uint64_t whole, bool is_wide)
{
	const struct ktrace_stats *stats = &row->stats;

	out_put(out, "%6.2f %11.6f %11llu %9llu ", whole ? 100.0 * stats->total_ns / whole : 0,
		stats->total_ns / 1e9, (unsigned long long)(stats->total_ns / 1000 / stats->calls),
		(unsigned long long)stats->calls);
	print_errors(out, stats->errors);
	if (is_wide)
		print_wide(out, row);
	out_put(out, "%s\n", row->name);
}

static void print_total(FILE *out, const struct ktrace_stats *sum, bool is_wide)
{
	out_put(out, "%6.2f %11.6f %11llu %9llu ", 100.0, sum->total_ns / 1e9,
		(unsigned long long)(sum->calls ? sum->total_ns / 1000 / sum->calls : 0),
		(unsigned long long)sum->calls);
	print_errors(out, sum->errors);
	if (is_wide)
		out_put(out, "%9s %9s %9s %12llu %10s %9s ", "", "", "",
			(unsigned long long)sum->bytes, "", "");
	out_put(out, "total\n");
}

/* Which returned which. */
static void print_errno_lines(FILE *out, const struct syscall_rows *rows,
			      const struct syscall_row *first)
{
	const struct syscall_error *error = syscall_errors_of(rows, first->tid);
	const struct syscall_error *end = rows->errors + rows->nr_errors;
	char errno_name[ERRNO_NAME_LEN], name[SYSCALL_NAME_LEN];
	bool is_begun = false;

	for (; error < end && error->tid == first->tid; error++) {
		if (!syscall_is_one_group(error->func, error->tid, first))
			continue;
		if (!is_begun)
			out_put(out, "\n%9s  %-16s %s\n", "errors", "errno", "syscall");
		is_begun = true;
		out_put(out, "%9llu  %-16s %s\n", (unsigned long long)error->calls,
			errno_text(errno_name, error->error), syscall_text(name, error->func));
	}
}

static void print_title(FILE *out, const struct syscall_row *first)
{
	if (first->tid)
		out_put(out, "Thread %u (%s)%s\n", first->tid,
			first->comm ? first->comm : "-",
			syscall_is_compat(first->func) ? ", system calls of 32 bits:" : ":");
	else if (syscall_is_compat(first->func))
		out_put(out, "System calls of 32 bits:\n");
}

/* Returns where the next group begins. */
static const struct syscall_row *print_group(FILE *out, const struct syscall_rows *rows,
					     const struct syscall_row *first, bool is_wide)
{
	const struct syscall_row *end = rows->rows + rows->nr, *row;
	struct ktrace_stats sum = { 0 };

	for (row = first; row < end && syscall_is_one_group(first->func, first->tid, row); row++) {
		sum.total_ns += row->stats.total_ns;
		sum.calls += row->stats.calls;
		sum.errors += row->stats.errors;
		sum.bytes += row->stats.bytes;
	}
	end = row;
	print_title(out, first);
	print_head(out, is_wide);
	print_rule(out, is_wide);
	for (row = first; row < end; row++)
		print_row(out, row, sum.total_ns, is_wide);
	print_rule(out, is_wide);
	print_total(out, &sum, is_wide);
	if (rows->has_pages)
		syscall_table_print_pages(out, first, end);
	print_errno_lines(out, rows, first);
	return end;
}

void syscall_table_print(FILE *out, const struct syscall_rows *rows, bool is_wide)
{
	const struct syscall_row *row = rows->rows, *end = rows->rows + rows->nr;

	if (row == end)
		out_put(out, "No system call was counted.\n");
	while (row < end) {
		row = print_group(out, rows, row, is_wide);
		if (row < end)
			fputc('\n', out);
	}
}

void syscall_table_print_hists(FILE *out, const struct syscall_rows *rows,
			       const struct match *names)
{
	const struct syscall_row *row;

	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		if (!match_name(names, row->name))
			continue;
		out_put(out, "\n%s%s\n", row->name,
			syscall_is_compat(row->func) ? " (of 32 bits)" : "");
		hist_print(out, &row->hist);
	}
}
