// SPDX-License-Identifier: GPL-2.0
#include "report/figures.h"

#define FIGURE_KIND(id, as, ...) [FIG_##id] = { FORMAT_##as, __VA_ARGS__ },

const struct figure_kind figure_kinds[NR_ALL_FIGURES] = {
	TABLE_FIGURES(FIGURE_KIND)
	FUNCTION_FIGURES(FIGURE_KIND)
	DERIVED_FIGURES(FIGURE_KIND)
	QUOTIENTS(FIGURE_KIND)
};

#define IN_ORDER(id, ...) \
	_Static_assert(FIG_##id == FIG_CALLS + KTRACE_FIGURE_##id, "the module's order");
TABLE_FIGURES(IN_ORDER)

/* Returns FIG_NONE for a column that is no figure here. */
static enum figure number_of(const struct ktrace_column *column)
{
	return column->is_key || column->id >= __KTRACE_FIGURE_MAX ? FIG_NONE :
	       FIG_CALLS + column->id;
}

/* Calls whose end was seen. */
static uint64_t nr_timed(const uint64_t *figures)
{
	return figures[FIG_CALLS] - figures[FIG_AT_MOST];
}

void part_read(struct row_part *part, const struct ktr_row *row)
{
	const struct ktr_table *table = row->table;
	size_t i;

	for (i = 0; i < table->nr_columns; i++)
		if (number_of(&table->columns[i]))
			part->figures[number_of(&table->columns[i])] = row->cells[table->at[i]];
	if (!nr_timed(part->figures))
		part->figures[FIG_MIN] = 0;
	part_free(part);
	hist_read(&part->hist, row->buckets, row->nr_buckets);
}

void part_read_node(struct row_part *part, const struct ktrace_node *node)
{
	part->figures[FIG_CALLS] += node->calls;
	part->figures[FIG_TOTAL] += node->total_ns;
}

void part_add_figures(struct row_part *to_part, const struct row_part *from_part)
{
	const uint64_t *from = from_part->figures;
	uint64_t *to = to_part->figures;
	uint64_t min = to[FIG_MIN], max = to[FIG_MAX];
	int figure;

	if (nr_timed(from) && (!nr_timed(to) || from[FIG_MIN] < min))
		min = from[FIG_MIN];
	for (figure = 0; figure < NR_FIGURES; figure++)
		to[figure] += from[figure];
	to[FIG_MIN] = min;
	to[FIG_MAX] = from[FIG_MAX] > max ? from[FIG_MAX] : max;
}

void part_add(struct row_part *to, const struct row_part *from)
{
	part_add_figures(to, from);
	hist_merge(&to->hist, &from->hist);
}

void part_free(struct row_part *part)
{
	hist_free(&part->hist);
}

static uint64_t average(uint64_t sum, uint64_t nr)
{
	return nr ? sum / nr + (sum % nr + nr / 2) / nr : 0;
}

static uint64_t figure_of(const struct row_part *part, enum figure figure)
{
	const struct figure_kind *kind = &figure_kinds[figure];
	const uint64_t *f = part->figures;
	uint64_t sum = 0;
	int i;

	if (figure < NR_FIGURES)
		return f[figure];
	if (kind->of)
		return figure_of(part, kind->of);
	if (kind->permille)
		return hist_percentile_within(&part->hist, kind->permille, f[FIG_MIN], f[FIG_MAX]);
	for (i = 0; i < 4; i++)
		sum += f[kind->plus[i]];
	if (kind->minus)
		sum = sum > f[kind->minus] ? sum - f[kind->minus] : 0;
	if (kind->by)
		sum = average(sum, figure_of(part, kind->by));
	return sum ? sum : f[kind->otherwise];
}

uint64_t parts_figure(const struct row_part *parts, enum figure figure, uint32_t which)
{
	struct row_part sum = { .hist = { NULL, 0 } };
	uint64_t number;
	int part;

	if (!(which & (which - 1)))
		return figure_of(&parts[part_first(which)], figure);
	for (part = 0; which >> part; part++) {
		if (!(which >> part & 1))
			continue;
		part_add_figures(&sum, &parts[part]);
		if (figure_kinds[figure].permille)
			hist_merge(&sum.hist, &parts[part].hist);
	}
	number = figure_of(&sum, figure);
	part_free(&sum);
	return number;
}
