// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "util/mem.h"

bool row_is_shown(const struct table *table, const struct layout *layout, const struct row *row)
{
	return !layout->is_shown || layout->is_shown(table, row);
}

bool table_is_shown(const struct table *table, const struct layout *layout)
{
	const struct row *row;

	for (row = table->rows; row < table->rows + table->nr; row++)
		if (row_is_shown(table, layout, row))
			return true;
	return false;
}

/* Rates need the length of the window. */
bool column_is_on(const struct column *column, const struct table *table)
{
	if (column->per == FIG_SECONDS && !table->duration_ns)
		return false;
	return (table->flags & column->when) == column->when && !(table->flags & column->unless);
}

bool column_is_there(const struct column *column, const struct row *row)
{
	const struct row_key *key = &row->keys[column->key];

	if (column->format == FORMAT_KEY || column->format == FORMAT_KEY_NUMBER || column->add)
		return !key->is_none;
	return !column->needs || row_figure(row, column->needs, column->needs_parts);
}

struct row table_sum(const struct table *table, const struct layout *layout)
{
	struct row sum = { .parts = mem_alloc(table->nr_parts * sizeof(*sum.parts)) };
	const struct row *row;
	size_t part;

	for (row = table->rows; row < table->rows + table->nr; row++)
		for (part = 0; row_is_shown(table, layout, row) && part < table->nr_parts; part++)
			part_add_figures(&sum.parts[part], &row->parts[part]);
	return sum;
}

/* --- order ---------------------------------------------------------------- */

struct sorting {
	struct table *table;
	const struct layout *layout;
	const struct column *column;
};

static int down(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

/* What grows with time is compared as if each row had been observed in the whole window. */
static double whole(const struct sorting *sorting, const struct row *row)
{
	const struct column *column = sorting->column;
	double figure = row_figure(row, column->figure, column->parts);
	uint64_t observed = row_figure(row, FIG_OBSERVED, 0);

	return observed ? figure * sorting->table->duration_ns / observed : figure;
}

static int compare_column(const struct sorting *sorting, const struct row *x, const struct row *y)
{
	const struct column *column = sorting->column;
	double a, b;

	if (column->format == FORMAT_KEY)
		return sorting->table->keys[column->key].compare(&x->keys[column->key],
								 &y->keys[column->key]);
	if (column->grows && (row_figure(x, FIG_OBSERVED, 0) || row_figure(y, FIG_OBSERVED, 0))) {
		a = whole(sorting, x);
		b = whole(sorting, y);
		return a < b ? 1 : a > b ? -1 : 0;
	}
	return down(row_figure(x, column->figure, column->parts),
		    row_figure(y, column->figure, column->parts));
}

static int by_column(const void *a, const void *b, void *arg)
{
	const struct sorting *sorting = arg;
	const struct table *table = sorting->table;
	const struct row *x = a, *y = b;
	enum figure tie = sorting->layout->tie;
	int order = table_compare(table, x->keys, y->keys, table->nr_leading);

	order = order ? order : compare_column(sorting, x, y);
	if (!order && tie)
		order = down(row_figure(x, tie, 0), row_figure(y, tie, 0));
	return order ? order : table_compare(table, x->keys, y->keys, table->nr_keys);
}

void table_sort(struct table *table, const struct layout *layout, const char *name)
{
	struct sorting sorting = { .table = table, .layout = layout };
	const struct column *column;

	for (column = layout->columns; column < layout->columns + layout->nr; column++)
		if (column->sort && !strcmp(column->sort, name))
			sorting.column = column;
	if (sorting.column && table->nr)
		qsort_r(table->rows, table->nr, sizeof(*table->rows), by_column, &sorting);
}
