// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/io_table.h"
#include "util/out.h"

#define NAME_WIDTH 10

static double usecs(uint64_t ns)
{
	return ns / 1e3;
}

/* Names of files and cgroups may be long: they are behind the figures. */
static bool is_name_last(const struct io_rows *rows)
{
	return rows->by >= IO_BY_FILE;
}

/* Names longer than others would move what is behind them in one line only. */
static int name_width(const struct io_rows *rows)
{
	int width = NAME_WIDTH, len;
	size_t i;

	if (is_name_last(rows))
		return 0;
	for (i = 0; i < rows->nr; i++) {
		len = strlen(rows->rows[i].name);
		width = len > width ? len : width;
	}
	return width;
}

/* What a line begins with; width 0: not with its name. */
static void begin_line(FILE *out, const char *name, int width, const char *operation)
{
	if (width)
		out_put(out, "%-*s ", width, name);
	out_put(out, "%-11s", operation);
}

static void print_load(FILE *out, const struct io_row *row, int width, double seconds)
{
	const struct ktrace_stats *all = io_requests(row);

	begin_line(out, row->name, width, io_op_name(row->op));
	out_put(out, " %10llu %10.1f %14llu %10.2f %10.1f ", (unsigned long long)all->calls,
		seconds > 0 ? all->calls / seconds : 0, (unsigned long long)all->bytes,
		seconds > 0 ? all->bytes / 1e6 / seconds : 0,
		all->calls ? all->bytes / 1024.0 / all->calls : 0);
	if (all->errors)
		out_put(out, "%8llu", (unsigned long long)all->errors);
	out_put(out, "%s\n", width ? "" : row->name);
}

/* What names are of. */
static const char *head_of(const struct io_rows *rows)
{
	return io_is_of_tree(rows->by) ? io_by_name(rows->by) : "disk";
}

static void print_loads(FILE *out, const struct io_rows *rows, int width, double seconds)
{
	size_t i;

	begin_line(out, head_of(rows), width, "operation");
	out_put(out, " %10s %10s %14s %10s %10s%s%s\n", "requests", "IOPS", "bytes", "MB/s",
		"KiB each", is_name_last(rows) ? " " : "",
		is_name_last(rows) ? head_of(rows) : io_is_of_tree(rows->by) ? "" : "   errors");
	for (i = 0; i < rows->nr; i++)
		print_load(out, &rows->rows[i], width, seconds);
}

static void print_mean(FILE *out, const struct io_row *row, int stage)
{
	const struct ktrace_stats *all = io_requests(row);
	uint64_t ns = row->stages[stage].stats.total_ns;

	out_put(out, " %10.1f %3.0f%%", all->calls ? usecs(ns) / all->calls : 0,
		all->total_ns ? 100.0 * ns / all->total_ns : 0);
}

static void print_percentiles(FILE *out, const struct io_stage *stage)
{
	out_put(out, " %9.1f %9.1f %9.1f", usecs(io_percentile(stage, 500)),
		usecs(io_percentile(stage, 990)), usecs(stage->stats.max_ns));
}

static void print_time(FILE *out, const struct io_row *row, int width, bool has_percentiles)
{
	const struct ktrace_stats *all = io_requests(row);
	int stage;

	begin_line(out, row->name, width, io_op_name(row->op));
	for (stage = 0; stage < KTRACE_BLOCK_Q2C; stage++)
		print_mean(out, row, stage);
	out_put(out, " %10.1f", all->calls ? usecs(all->total_ns) / all->calls : 0);
	if (has_percentiles) {
		print_percentiles(out, &row->stages[KTRACE_BLOCK_Q2C]);
		print_percentiles(out, &row->stages[KTRACE_BLOCK_D2C]);
	}
	out_put(out, "%s%s\n", width ? "" : " ", width ? "" : row->name);
}

static void print_times(FILE *out, const struct io_rows *rows, int width)
{
	bool has_percentiles = !io_is_of_tree(rows->by);
	size_t i;

	begin_line(out, "", width, "");
	out_put(out, " mean us, share of Q2C");
	if (has_percentiles)
		out_put(out, "%83s %29s", "Q2C us", "D2C us");
	fputc('\n', out);
	begin_line(out, head_of(rows), width, "operation");
	out_put(out, " %10s %4s %10s %4s %10s %4s %10s %4s %10s", "Q2G", "", "G2I", "", "I2D", "",
		"D2C", "", "Q2C");
	if (has_percentiles)
		out_put(out, " %9s %9s %9s %9s %9s %9s", "p50", "p99", "max", "p50", "p99", "max");
	out_put(out, "%s%s\n", is_name_last(rows) ? " " : "", is_name_last(rows) ? head_of(rows) : "");
	for (i = 0; i < rows->nr; i++)
		print_time(out, &rows->rows[i], width, has_percentiles);
}

static void print_stages(FILE *out, const struct io_row *row)
{
	const struct ktrace_stats *all = io_requests(row), *stats;
	int stage;

	out_put(out, "%-5s %10s %5s %14s %12s %9s %9s %9s\n", "stage", "requests", "share",
		"total ms", "mean us", "p50", "p99", "max");
	for (stage = 0; stage < IO_NR_STAGES; stage++) {
		stats = &row->stages[stage].stats;
		out_put(out, "%-5s %10llu %4.0f%% %14.3f %12.1f", io_stage_name(stage),
			(unsigned long long)stats->calls,
			all->total_ns ? 100.0 * stats->total_ns / all->total_ns : 0,
			stats->total_ns / 1e6, stats->calls ? usecs(stats->total_ns) / stats->calls : 0);
		print_percentiles(out, &row->stages[stage]);
		fputc('\n', out);
	}
}

void io_table_print(FILE *out, const struct io_rows *rows, uint64_t duration_ns)
{
	int width = name_width(rows);

	if (!rows->nr) {
		out_put(out, "No request was counted.\n");
		return;
	}
	print_loads(out, rows, width, duration_ns / 1e9);
	fputc('\n', out);
	if (rows->by == IO_BY_STAGE)
		print_stages(out, &rows->rows[0]);
	else
		print_times(out, rows, width);
}

void io_table_print_hists(FILE *out, const struct io_rows *rows, int stage)
{
	const struct io_row *row;

	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		out_put(out, "\n%s %s %s\n", row->name, io_op_name(row->op), io_stage_name(stage));
		hist_print(out, &row->stages[stage].hist);
	}
}
