// SPDX-License-Identifier: GPL-2.0
#include "report/syscall_table.h"
#include "util/out.h"

#define DASHES "------------------------------"

static bool has_pages(const struct ktrace_stats *stats)
{
	return stats->page_hits || stats->page_misses || stats->pages_ahead ||
	       stats->pages_dirtied;
}

static void print_head(FILE *out)
{
	out_put(out, "%9s %11s %11s %6s %11s %11s %11s %11s pages of\n", "calls", "hits", "misses",
		"hit %", "read ahead", "dirtied", "pages/call", "dirty/call");
}

static void print_rule(FILE *out)
{
	out_put(out, "%.9s %.11s %.11s %.6s %.11s %.11s %.11s %.11s %.16s\n", DASHES, DASHES,
		DASHES, DASHES, DASHES, DASHES, DASHES, DASHES, DASHES);
}

static void print_row(FILE *out, const struct ktrace_stats *stats, const char *name)
{
	uint64_t touched = stats->page_hits + stats->page_misses;

	out_put(out, "%9llu %11llu %11llu ", (unsigned long long)stats->calls,
		(unsigned long long)stats->page_hits, (unsigned long long)stats->page_misses);
	if (touched)
		out_put(out, "%6.2f ", 100.0 * stats->page_hits / touched);
	else
		out_put(out, "%6s ", "");
	out_put(out, "%11llu %11llu %11.1f %11.1f %s\n", (unsigned long long)stats->pages_ahead,
		(unsigned long long)stats->pages_dirtied, (double)touched / stats->calls,
		(double)stats->pages_dirtied / stats->calls, name);
}

static void add(struct ktrace_stats *sum, const struct ktrace_stats *stats)
{
	sum->calls += stats->calls;
	sum->page_hits += stats->page_hits;
	sum->page_misses += stats->page_misses;
	sum->pages_ahead += stats->pages_ahead;
	sum->pages_dirtied += stats->pages_dirtied;
}

void syscall_table_print_pages(FILE *out, const struct syscall_row *first,
			       const struct syscall_row *end)
{
	struct ktrace_stats sum = { 0 };
	const struct syscall_row *row;

	fputc('\n', out);
	for (row = first; row < end; row++) {
		if (!has_pages(&row->stats))
			continue;
		if (!sum.calls) {
			print_head(out);
			print_rule(out);
		}
		print_row(out, &row->stats, row->name);
		add(&sum, &row->stats);
	}
	if (!sum.calls) {
		out_put(out, "No call met the page cache.\n");
		return;
	}
	print_rule(out);
	print_row(out, &sum, "total");
}
