// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "util/mem.h"

bool row_is_shown(const struct table *table, const struct layout *layout, const struct row *row)
{
	return !layout->is_shown || layout->is_shown(table, row);
}

bool layout_is_shown(const struct table *table, const struct layout *layout)
{
	const struct row *row;

	for (row = table->rows; row < table->rows + table->nr; row++)
		if (row_is_shown(table, layout, row))
			return true;
	return false;
}

bool table_is_shown(const struct table *table)
{
	return layout_is_shown(table, table->kind->screens[0]);
}

static bool is_with(const struct column *column, uint32_t flags)
{
	return (flags & column->when) == column->when && !(flags & column->unless);
}

/* Rates need the length of the window. */
bool column_is_on(const struct column *column, const struct table *table)
{
	if (figure_kinds[column->figure].per == FIG_SECONDS && !table->duration_ns)
		return false;
	return is_with(column, table->flags);
}

bool column_is_there(const struct column *column, const struct row *row, enum figure needs)
{
	if (!column->figure)
		return !row->keys[column->key].is_none;
	return !needs || row_figure(row, needs, column->parts);
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

	if (!column->figure)
		return sorting->table->kind->keys[column->key].compare(&x->keys[column->key],
								       &y->keys[column->key]);
	if (figure_kinds[column->figure].grows &&
	    (row_figure(x, FIG_OBSERVED, 0) || row_figure(y, FIG_OBSERVED, 0))) {
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
	int order = table_compare(table, x->keys, y->keys, table->kind->nr_leading);

	order = order ? order : compare_column(sorting, x, y);
	if (!order && tie)
		order = down(row_figure(x, tie, 0), row_figure(y, tie, 0));
	return order ? order : table_compare(table, x->keys, y->keys, table->nr_keys);
}

const char *column_order(const struct column *column, const struct table_kind *kind)
{
	if (column->sort)
		return column->sort;
	if (column->title || figure_kinds[column->figure].of)
		return NULL;
	return column->figure ? figure_kinds[column->figure].title : kind->keys[column->key].name;
}

const struct column *layout_find(const struct table_kind *kind, const struct layout *layout,
				 const char *order, uint32_t flags)
{
	const struct column *column = layout->columns, *end = column + layout->nr, *found = NULL;
	const char *name;

	for (; column < end; column++) {
		name = column_order(column, kind);
		if (!name || strcmp(name, order))
			continue;
		if (is_with(column, flags))
			return column;
		found = found ? found : column;
	}
	return found;
}

void table_sort(struct table *table, const char *order)
{
	struct sorting sorting = { .table = table };
	const struct layout *const *layout;

	if (!table->nr)
		return;
	for (layout = table->kind->screens; *layout; layout++) {
		sorting.layout = *layout;
		sorting.column = layout_find(table->kind, *layout, order, table->flags);
		if (sorting.column)
			qsort_r(table->rows, table->nr, sizeof(*table->rows), by_column, &sorting);
	}
}

/* --- members in JSON ------------------------------------------------------- */

const char *column_member(const struct column *column, const struct table_kind *kind)
{
	const struct key_kind *key = &kind->keys[column->key];

	return column->title ? column->title : column->figure ? figure_kinds[column->figure].name :
	       key->json ? key->json : key->name;
}

bool member_is_there(const struct column *member, const struct row *row)
{
	return column_is_there(member, row, member->needs ? member->needs :
			       figure_kinds[member->figure].needs);
}

/* The members of each part belong to an object of their own. */
static void each_of_parts(const struct table *table, const struct column *column,
			  void (*fn)(void *arg, const struct column *member), void *arg)
{
	struct column members[column->each->nr];
	struct layout layout = *column->each;
	char *in;
	size_t part, i;

	layout.columns = members;
	for (part = 0; part < table->nr_parts; part++) {
		in = mem_format("%s%s.", column->in ? column->in : "", table->kind->parts[part]);
		for (i = 0; i < layout.nr; i++) {
			members[i] = column->each->columns[i];
			members[i].parts = 1U << part;
			members[i].in = column->in;
			if (members[i].title && !*members[i].title)
				members[i].title = table->kind->parts[part];
			else
				members[i].in = in;
		}
		layout_each_member(table, &layout, fn, arg);
		free(in);
	}
}

void layout_each_member(const struct table *table, const struct layout *layout,
			void (*fn)(void *arg, const struct column *member), void *arg)
{
	const struct column *column;

	for (column = layout->columns; column < layout->columns + layout->nr; column++) {
		if (!column_is_on(column, table) ||
		    (column->figure == FIG_HIST && !table->has_hists))
			continue;
		if (column->each)
			each_of_parts(table, column, fn, arg);
		else
			fn(arg, column);
	}
}
