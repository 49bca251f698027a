// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/stack_rows.h"
#include "util/fmt.h"
#include "util/out.h"

#define INDENT "                "

/* --- a table ---------------------------------------------------------------- */

static void print_frames(FILE *out, const struct stack *stack, size_t from, size_t to,
			 bool is_kernel)
{
	const char *end = stack_end(stack, is_kernel);
	size_t i;

	for (i = from; i < to; i++)
		out_put(out, INDENT "%s\n", stack->frames[i]);
	if (end)
		out_put(out, INDENT "%s\n", end);
}

void stack_print(FILE *out, const struct stack *stack, size_t first)
{
	if (!stack || !stack->nr) {
		out_put(out, INDENT "[no stack]\n");
		return;
	}
	print_frames(out, stack, first, stack->nr_kernel, true);
	if (stack->nr_kernel > first && stack->nr > stack->nr_kernel)
		out_put(out, INDENT "--\n");
	print_frames(out, stack, stack->nr_kernel, stack->nr, false);
}

static double share_of(const struct stack_rows *rows, uint64_t ns)
{
	return rows->total_ns ? 100.0 * ns / rows->total_ns : 0;
}

static void print_row(FILE *out, const struct stack_rows *rows, const struct stack_row *row)
{
	char avg[FMT_LEN], max[FMT_LEN];

	out_put(out, "%12.3f %6.2f%% %9llu %10s ", row->total_ns / 1e6,
		share_of(rows, row->total_ns), (unsigned long long)row->calls,
		fmt_duration(avg, row->total_ns / row->calls));
	if (!rows->is_of_calls)
		out_put(out, "%10s ", row->stack ? fmt_duration(max, row->max_ns) : "-");
	out_put(out, "%-15s %s\n", row->comm ? row->comm : "-", row->kind);
	stack_print(out, row->stack, row->first);
	fputc('\n', out);
}

void stack_rows_print(FILE *out, const struct stack_rows *rows)
{
	const struct stack_row *row;

	if (!rows->nr) {
		out_put(out, rows->is_of_calls ? "No call was counted.\n" :
			"No period off a CPU was counted.\n");
		return;
	}
	out_put(out, "%12s %7s %9s %10s ", rows->is_of_calls ? "TIME ms" : "OFF-CPU ms", "SHARE",
		"COUNT", "AVG");
	if (!rows->is_of_calls)
		out_put(out, "%10s ", "MAX");
	out_put(out, "%-15s %s\n", "COMM", rows->is_of_calls ? "FUNCTION" : "HOW");
	for (row = rows->rows; row < rows->rows + rows->nr; row++)
		print_row(out, rows, row);
	out_put(out, "%12.3f %6.2f%% %9llu total\n", rows->total_ns / 1e6, 100.0,
		(unsigned long long)rows->calls);
}

/* --- folded ------------------------------------------------------------------- */

/* What separates frames must not be in one. */
static void put_frame(FILE *out, const char *before, const char *text)
{
	size_t len;

	for (;; text += len + 1, before = ":") {
		len = strcspn(text, ";");
		out_put(out, "%s%.*s", before, (int)len, text);
		if (!text[len])
			return;
	}
}

static void put_frames(FILE *out, const struct stack *stack, size_t from, size_t to,
		       bool is_kernel)
{
	const char *end = stack_end(stack, is_kernel);

	if (end)
		put_frame(out, ";", end);
	while (to > from)
		put_frame(out, ";", stack->frames[--to]);
}

void stack_rows_print_folded(FILE *out, const struct stack_rows *rows)
{
	const struct stack_row *row;
	uint64_t us;

	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		us = (row->total_ns + 500) / 1000;
		if (!us)
			continue;
		put_frame(out, "", row->comm ? row->comm : "-");
		if (row->stack) {
			put_frames(out, row->stack, row->stack->nr_kernel, row->stack->nr, false);
			put_frames(out, row->stack, row->first, row->stack->nr_kernel, true);
		}
		out_put(out, rows->is_of_calls ? ";%s %llu\n" : ";[%s] %llu\n", row->kind,
			(unsigned long long)us);
	}
}
