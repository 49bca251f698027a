// SPDX-License-Identifier: GPL-2.0
#include "report/kfunc_table.h"
#include "util/fmt.h"
#include "util/out.h"

static void print_row(FILE *out, const struct row *row)
{
	char total[FMT_LEN], avg[FMT_LEN], p50[FMT_LEN], p99[FMT_LEN], max[FMT_LEN];
	const struct ktrace_stats *stats = &row->stats;

	out_put(out, "  %10s  %9llu  %10s  %10s  %10s  %10s  ",
		fmt_duration(total, stats->total_ns), (unsigned long long)stats->calls,
		fmt_duration(avg, (stats->sum_ns + stats->calls / 2) / stats->calls),
		fmt_duration(p50, hist_percentile_of(&row->hist, stats, 500)),
		fmt_duration(p99, hist_percentile_of(&row->hist, stats, 990)),
		fmt_duration(max, stats->max_ns));
	if (stats->errors)
		out_put(out, "%8llu  ", (unsigned long long)stats->errors);
	else
		out_put(out, "%8s  ", "");
	out_put(out, "%s\n", row->name);
}

static void print_counts(FILE *out, const struct rows *rows)
{
	size_t i;

	out_put(out, "  %12s  %s\n", "CALLS", "FUNCTION");
	for (i = 0; i < rows->nr; i++)
		if (rows->rows[i].stats.entries)
			out_put(out, "  %12llu  %s\n",
				(unsigned long long)rows->rows[i].stats.entries,
				rows->rows[i].name);
}

bool kfunc_table_has_calls(const struct rows *rows)
{
	size_t i;

	for (i = 0; i < rows->nr; i++)
		if (rows->is_count ? rows->rows[i].stats.entries : rows->rows[i].stats.calls)
			return true;
	return false;
}

void kfunc_table_print(FILE *out, const struct rows *rows)
{
	size_t i;

	if (!kfunc_table_has_calls(rows)) {
		out_put(out, "No call was counted.\n");
		return;
	}
	if (rows->is_count) {
		print_counts(out, rows);
		return;
	}
	out_put(out, "  %10s  %9s  %10s  %10s  %10s  %10s  %8s  %s\n", "TOTAL TIME", "CALLS",
		"AVG", "P50", "P99", "MAX", "ERRORS", "FUNCTION");
	for (i = 0; i < rows->nr; i++)
		if (rows->rows[i].stats.calls)
			print_row(out, &rows->rows[i]);
}
