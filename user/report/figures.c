// SPDX-License-Identifier: GPL-2.0
#include "report/figures.h"

#define NUMBER(figure)	(FIG_##figure == FIG_CALLS + KTRACE_FIGURE_##figure)

/* Returns FIG_NONE for a column that is no figure here. */
static enum figure number_of(const struct ktrace_column *column)
{
	_Static_assert(NUMBER(ERRORS) && NUMBER(MAX) && NUMBER(AT_MOST) && NUMBER(SINCE), "order");
	if (column->is_key)
		return FIG_NONE;
	if (column->id <= KTRACE_FIGURE_SINCE)
		return FIG_CALLS + column->id;
	return column->id == KTRACE_FIGURE_AT_MOST_TIME ? FIG_AT_MOST_TIME :
	       column->id == KTRACE_FIGURE_AT_MOST_SELF ? FIG_AT_MOST_SELF : FIG_NONE;
}

static uint64_t nr_timed(const uint64_t *figures)
{
	return figures[FIG_CALLS] - figures[FIG_AT_MOST];
}

void part_read(struct row_part *part, const struct knl_row *row)
{
	const struct knl_table *table = row->table;
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

static uint64_t percentile(const struct row_part *part, unsigned int permille)
{
	return hist_percentile_within(&part->hist, permille, part->figures[FIG_MIN],
				      part->figures[FIG_MAX]);
}

static uint64_t figure_of(const struct row_part *part, enum figure figure)
{
	const uint64_t *f = part->figures;

	switch (figure) {
	case FIG_SEEN:
		return f[FIG_CALLS] ? f[FIG_CALLS] : f[FIG_ENTRIES];
	case FIG_TIMED:
		return nr_timed(f);
	case FIG_AVG:
		return average(f[FIG_TOTAL], nr_timed(f));
	case FIG_MEAN:
		return average(f[FIG_SUM], nr_timed(f));
	case FIG_RECURSION:
		return f[FIG_SUM] > f[FIG_TOTAL] ? f[FIG_SUM] - f[FIG_TOTAL] : 0;
	case FIG_P50:
		return percentile(part, 500);
	case FIG_P90:
		return percentile(part, 900);
	case FIG_P99:
		return percentile(part, 990);
	case FIG_P999:
		return percentile(part, 999);
	case FIG_PAGES_TOUCHED:
		return f[FIG_PAGE_HITS] + f[FIG_PAGE_MISSES];
	case FIG_PAGES_ANY:
		return f[FIG_PAGE_HITS] + f[FIG_PAGE_MISSES] + f[FIG_PAGES_AHEAD] +
		       f[FIG_PAGES_DIRTIED];
	default:
		return figure < NR_FIGURES ? f[figure] : 0;
	}
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
		if (figure >= FIG_P50 && figure <= FIG_P999)
			hist_merge(&sum.hist, &parts[part].hist);
	}
	number = figure_of(&sum, figure);
	part_free(&sum);
	return number;
}
