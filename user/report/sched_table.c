// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/sched_table.h"
#include "util/fmt.h"
#include "util/out.h"

#define DASHES "------------------------------"

static double msecs(uint64_t ns)
{
	return ns / 1e6;
}

static void print_head(FILE *out, bool is_wide)
{
	out_put(out, "%8s %-15s %12s %12s %12s %9s %9s %10s %10s", "TID", "COMM", "ON-CPU ms",
		"RUNNABLE ms", "BLOCKED ms", "VOLUNTARY", "PREEMPTED", "WAIT AVG", "WAIT MAX");
	if (is_wide)
		out_put(out, " %9s %10s %10s %12s %12s %12s", "WAKE-UPS", "AVG", "MAX",
			"SLEEP ms", "DISK ms", "STOPPED ms");
	fputc('\n', out);
}

static void print_rule(FILE *out, bool is_wide)
{
	out_put(out, "%.8s %.15s %.12s %.12s %.12s %.9s %.9s %.10s %.10s", DASHES, DASHES, DASHES,
		DASHES, DASHES, DASHES, DASHES, DASHES, DASHES);
	if (is_wide)
		out_put(out, " %.9s %.10s %.10s %.12s %.12s %.12s", DASHES, DASHES, DASHES, DASHES,
			DASHES, DASHES);
	fputc('\n', out);
}

static void print_latency(FILE *out, const struct sched_part *part)
{
	char avg[FMT_LEN], max[FMT_LEN];

	out_put(out, " %10s %10s", fmt_duration(avg, sched_avg(part)),
		fmt_duration(max, part->max_ns));
}

static void print_figures(FILE *out, const struct sched_row *row, bool is_wide)
{
	struct sched_part wait = sched_sum(row, SCHED_WAIT);
	const struct sched_part *parts = row->parts;

	out_put(out, " %12.3f %12.3f %12.3f %9llu %9llu",
		msecs(sched_sum(row, SCHED_ON_CPU).total_ns), msecs(wait.total_ns),
		msecs(sched_sum(row, SCHED_BLOCKED).total_ns),
		(unsigned long long)parts[KTRACE_SCHED_RUN].calls,
		(unsigned long long)parts[KTRACE_SCHED_RUN_OUT].calls);
	print_latency(out, &wait);
	if (is_wide) {
		out_put(out, " %9llu", (unsigned long long)parts[KTRACE_SCHED_WAKEUP].calls);
		print_latency(out, &parts[KTRACE_SCHED_WAKEUP]);
		out_put(out, " %12.3f %12.3f %12.3f", msecs(parts[KTRACE_SCHED_SLEEP].total_ns),
			msecs(parts[KTRACE_SCHED_DISK].total_ns),
			msecs(parts[KTRACE_SCHED_STOPPED].total_ns));
	}
	fputc('\n', out);
}

void sched_table_print(FILE *out, const struct sched_rows *rows, bool is_wide)
{
	const struct sched_row *row;

	if (!sched_sum(&rows->all, SCHED_ON_CPU | SCHED_WAIT | SCHED_BLOCKED).calls) {
		out_put(out, "No period was counted; a sleep counts when it ends.\n");
		return;
	}
	print_head(out, is_wide);
	if (rows->nr)
		print_rule(out, is_wide);
	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		out_put(out, "%8u %-15s", row->tid, row->comm ? row->comm : "-");
		print_figures(out, row, is_wide);
	}
	print_rule(out, is_wide);
	out_put(out, "%8s %-15s", "total", "");
	print_figures(out, &rows->all, is_wide);
}

/* --- histograms ----------------------------------------------------------- */

/* Of some kinds together, then each of them, if there is more than one. */
static const struct {
	uint32_t kinds;
	const char *title;
} hists[] = {
	{ SCHED_RUN, "On a CPU" },
	{ SCHED_WAIT, "Runnable, waiting for a CPU" },
	{ 1U << KTRACE_SCHED_WAKEUP, "Of that from a wake-up on (wake-up latency)" },
	{ 1U << KTRACE_SCHED_PREEMPTED, "Of that after the CPU was taken away" },
	{ SCHED_BLOCKED, "Blocked" },
	{ 1U << KTRACE_SCHED_SLEEP, "Of that in an interruptible sleep" },
	{ 1U << KTRACE_SCHED_DISK, "Of that in an uninterruptible sleep (disk)" },
	{ 1U << KTRACE_SCHED_STOPPED, "Of that stopped or traced" },
};

/* The middle of a bucket may lie beyond what was measured. */
static uint64_t percentile(const struct hist *hist, unsigned int permille, uint64_t max_ns)
{
	uint64_t value = hist_percentile(hist, permille);

	return value > max_ns ? max_ns : value;
}

static void print_hist(FILE *out, const struct sched_rows *rows, uint32_t kinds, const char *title)
{
	struct sched_part part = sched_sum(&rows->all, kinds);
	char avg[FMT_LEN], p50[FMT_LEN], p99[FMT_LEN], max[FMT_LEN];
	struct hist hist = { NULL, 0 };
	uint32_t what;

	for (what = 0; what < KTRACE_NR_SCHED; what++)
		if (kinds & 1U << what)
			hist_merge(&hist, &rows->hists[what]);
	out_put(out, "\n%s: %llu times, avg %s, p50 %s, p99 %s, max %s\n", title,
		(unsigned long long)part.calls, fmt_plain(avg, sched_avg(&part)),
		fmt_plain(p50, percentile(&hist, 500, part.max_ns)),
		fmt_plain(p99, percentile(&hist, 990, part.max_ns)),
		fmt_plain(max, part.max_ns));
	hist_print(out, &hist);
	hist_free(&hist);
}

void sched_table_print_hists(FILE *out, const struct sched_rows *rows)
{
	uint64_t calls, whole = 0;
	size_t i;

	for (i = 0; i < sizeof(hists) / sizeof(hists[0]); i++) {
		calls = sched_sum(&rows->all, hists[i].kinds).calls;
		/* One that is all of the one above says nothing new. */
		if (hists[i].kinds & (hists[i].kinds - 1))
			whole = calls;
		else if (calls == whole)
			continue;
		if (calls)
			print_hist(out, rows, hists[i].kinds, hists[i].title);
	}
}
