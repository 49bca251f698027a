// SPDX-License-Identifier: GPL-2.0
#include "fmt.h"
#include "stack_rows.h"

#define INDENT "                "

/* --- a table ---------------------------------------------------------------- */

static void print_frames(FILE *out, const struct stack *stack, size_t from, size_t to,
			 bool is_kernel)
{
	const char *end = stack_end(stack, is_kernel);
	size_t i;

	for (i = from; i < to; i++)
		fprintf(out, INDENT "%s\n", stack->frames[i]);
	if (end)
		fprintf(out, INDENT "%s\n", end);
}

static void print_stack(FILE *out, const struct stack *stack)
{
	if (!stack) {
		fprintf(out, INDENT "[no stack]\n");
		return;
	}
	print_frames(out, stack, 0, stack->nr_kernel, true);
	if (stack->nr_kernel && stack->nr > stack->nr_kernel)
		fprintf(out, INDENT "--\n");
	print_frames(out, stack, stack->nr_kernel, stack->nr, false);
}

static double share_of(const struct stack_rows *rows, uint64_t ns)
{
	return rows->total_ns ? 100.0 * ns / rows->total_ns : 0;
}

void stack_rows_print(FILE *out, const struct stack_rows *rows)
{
	char avg[FMT_LEN], max[FMT_LEN];
	const struct stack_row *row;

	if (!rows->nr) {
		fprintf(out, "No thread was off its CPU, from beginning to end.\n");
		return;
	}
	fprintf(out, "%12s %7s %9s %10s %10s %-9s %s\n", "OFF-CPU ms", "SHARE", "COUNT", "AVG",
		"MAX", "HOW", "COMM");
	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		fprintf(out, "%12.3f %6.2f%% %9llu %10s %10s %-9s %s\n", row->total_ns / 1e6,
			share_of(rows, row->total_ns), (unsigned long long)row->calls,
			fmt_duration(avg, row->total_ns / row->calls),
			row->stack ? fmt_duration(max, row->max_ns) : "-", row->kind,
			row->comm ? row->comm : "-");
		print_stack(out, row->stack);
		fputc('\n', out);
	}
	fprintf(out, "%12.3f %6.2f%% %9llu total\n", rows->total_ns / 1e6, 100.0,
		(unsigned long long)rows->calls);
}

/* --- folded ------------------------------------------------------------------- */

/* What parts frames is in none of them. */
static void put_frame(FILE *out, const char *text)
{
	fputc(';', out);
	for (; *text; text++)
		fputc(*text == ';' ? ':' : *text, out);
}

static void put_frames(FILE *out, const struct stack *stack, size_t from, size_t to,
		       bool is_kernel)
{
	const char *end = stack_end(stack, is_kernel);

	if (end)
		put_frame(out, end);
	while (to > from)
		put_frame(out, stack->frames[--to]);
}

void stack_rows_print_folded(FILE *out, const struct stack_rows *rows)
{
	const struct stack_row *row;
	uint64_t us;

	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		us = (row->total_ns + 500) / 1000;
		if (!us)
			continue;
		/* The first has nothing in front. */
		for (const char *c = row->comm ? row->comm : "-"; *c; c++)
			fputc(*c == ';' ? ':' : *c, out);
		if (row->stack) {
			put_frames(out, row->stack, row->stack->nr_kernel, row->stack->nr, false);
			put_frames(out, row->stack, 0, row->stack->nr_kernel, true);
		}
		fprintf(out, ";[%s] %llu\n", row->kind, (unsigned long long)us);
	}
}
