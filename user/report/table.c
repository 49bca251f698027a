// SPDX-License-Identifier: GPL-2.0
#include "report/table.h"
#include "util/fmt.h"
#include "util/out.h"

static uint64_t average(const struct ktrace_stats *stats)
{
	return stats->calls ? (stats->sum_ns + stats->calls / 2) / stats->calls : 0;
}

/* Entered, but no return seen: there is nothing to measure. */
static void print_counted(FILE *out, const struct row *row)
{
	out_put(out, "  %10s  %10s  %9llu  %10s  %10s  %10s  %10s  ", "-", "-",
		(unsigned long long)row->stats.entries, "-", "-", "-", "-");
}

static void print_measured(FILE *out, const struct row *row)
{
	char total[FMT_LEN], self[FMT_LEN], avg[FMT_LEN], min[FMT_LEN], max[FMT_LEN],
	     p99[FMT_LEN];
	const struct ktrace_stats *stats = &row->stats;

	out_put(out, "  %10s  %10s  %9llu  %10s  %10s  %10s  %10s  ",
		fmt_duration(total, stats->total_ns), fmt_duration(self, stats->self_ns),
		(unsigned long long)stats->calls, fmt_duration(avg, average(stats)),
		fmt_duration(min, stats->min_ns), fmt_duration(max, stats->max_ns),
		fmt_duration(p99, hist_percentile_of(&row->hist, &row->stats, 990)));
}

/* A call within one of the same function is in AVG, and in TOTAL by the outer one alone. */
static void print_recursion(FILE *out, const struct ktrace_stats *stats)
{
	if (stats->sum_ns > stats->total_ns)
		fputs(" /* recursive: TOTAL is of the outermost */", out);
}

/* Calls whose returns were not seen when they were. */
static void print_bound(FILE *out, const struct ktrace_stats *stats)
{
	if (!stats->at_most)
		return;
	if (stats->at_most == stats->calls)
		fputs(" /* at most */", out);
	else
		out_put(out, " /* at most, as of %llu */", (unsigned long long)stats->at_most);
}

/* Calls with an unseen end: the last one runs, or has ended since. */
static void print_age(FILE *out, const struct ktrace_stats *stats, uint64_t now)
{
	char text[FMT_LEN];

	if (stats->since && now > stats->since)
		out_put(out, " /* %llu not ended, the last for %s at most */",
			(unsigned long long)(stats->entries - stats->calls),
			fmt_plain(text, now - stats->since));
}

static void print_row(FILE *out, const struct row *row, const struct rows *rows)
{
	if (row->stats.calls)
		print_measured(out, row);
	else
		print_counted(out, row);
	if (rows->is_by_thread)
		out_put(out, "%7u  ", row->tid);
	out_put(out, "%s%s", row->name, fmt_parentheses(row->name));
	print_recursion(out, &row->stats);
	print_bound(out, &row->stats);
	print_age(out, &row->stats, rows->now);
	fputc('\n', out);
}

static void print_counts(FILE *out, const struct rows *rows)
{
	size_t i;

	out_put(out, "  %12s  %s\n", "CALLS", "FUNCTION");
	for (i = 0; i < rows->nr; i++)
		if (rows_is_hit(rows, &rows->rows[i]))
			out_put(out, "  %12llu  %s%s\n",
				(unsigned long long)rows->rows[i].stats.entries,
				rows->rows[i].name, fmt_parentheses(rows->rows[i].name));
}

void table_print(FILE *out, const struct rows *rows)
{
	size_t i;

	if (rows->is_count) {
		print_counts(out, rows);
		return;
	}
	out_put(out, "  %10s  %10s  %9s  %10s  %10s  %10s  %10s  %s%s\n", "TOTAL TIME",
		"SELF TIME", "CALLS", "AVG", "MIN", "MAX", "P99",
		rows->is_by_thread ? "    TID  " : "", "FUNCTION");
	for (i = 0; i < rows->nr; i++)
		if (rows_is_hit(rows, &rows->rows[i]))
			print_row(out, &rows->rows[i], rows);
}

void table_print_hists(FILE *out, const struct rows *rows)
{
	const struct row *row;

	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		if (!row->stats.calls)
			continue;
		out_put(out, "%s%s\n", row->name, fmt_parentheses(row->name));
		hist_print(out, &row->hist);
		fputc('\n', out);
	}
}
