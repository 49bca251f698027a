// SPDX-License-Identifier: GPL-2.0
/* Rows for spreadsheets: as of format_csv.c, with the columns of both sides for each figure. */
#include <stdio.h>
#include <stdlib.h>

#include "keep/compare_show.h"
#include "report/csv_text.h"
#include "util/mem.h"
#include "util/out.h"

/* --- names -------------------------------------------------------------------- */

static const char *const endings[] = {
	"a", "b", "change", "change_percent", "a_min", "a_max", "b_min", "b_max", "p",
};

#define NR_ENDINGS (sizeof(endings) / sizeof(*endings))

static void put_names(FILE *out, const struct comparison *comparison)
{
	const char *name;
	size_t id, i;

	out_put(out, "name,in,a_runs,b_runs,remark");
	for (id = 0; id < NR_COMPARED; id++) {
		name = compare_figure_name(id);
		for (i = 0; comparison->has_figure[id] && i < NR_ENDINGS; i++)
			out_put(out, ",%s_%s", name, endings[i]);
	}
	fputs("\n", out);
}

/* --- rows --------------------------------------------------------------------- */

static void put_number(FILE *out, bool is_there, uint64_t number)
{
	if (is_there)
		out_put(out, ",%llu", (unsigned long long)number);
	else
		fputs(",", out);
}

static void put_real(FILE *out, bool is_there, double real, int decimals)
{
	if (is_there)
		out_put(out, ",%.*f", decimals, real);
	else
		fputs(",", out);
}

static void put_figure(FILE *out, const struct compare_change *change)
{
	const struct spread *a = &change->of[SIDE_A], *b = &change->of[SIDE_B];

	put_number(out, change->has[SIDE_A], a->median);
	put_number(out, change->has[SIDE_B], b->median);
	if (change->is_known && change->is_less)
		out_put(out, ",-%llu", (unsigned long long)change->by);
	else
		put_number(out, change->is_known, change->by);
	put_real(out, change->is_known && change->has_percent, change->percent, 3);
	put_number(out, a->nr > 1, a->min);
	put_number(out, a->nr > 1, a->max);
	put_number(out, b->nr > 1, b->min);
	put_number(out, b->nr > 1, b->max);
	put_real(out, change->p <= 1, change->p, 12);
}

static void put_row(FILE *out, const struct comparison *comparison, const struct compare_row *row)
{
	char *remark = compare_remark(comparison, row);
	struct compare_change change;
	int id;

	csv_text_put(out, row->label);
	out_put(out, ",%s,%d,%d,", compare_where(row), __builtin_popcount(row->runs[SIDE_A]),
		__builtin_popcount(row->runs[SIDE_B]));
	csv_text_put(out, remark);
	free(remark);
	for (id = 0; id < NR_COMPARED; id++) {
		if (!comparison->has_figure[id])
			continue;
		change = compare_change(comparison, row, id);
		put_figure(out, &change);
	}
	fputs("\n", out);
}

void compare_csv_print(FILE *out, const struct comparison *comparison)
{
	size_t i;

	put_names(out, comparison);
	for (i = 0; i < comparison->nr; i++)
		put_row(out, comparison, comparison->rows[i]);
}
