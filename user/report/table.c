// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/table.h"
#include "util/mem.h"

void table_init(struct table *table, const struct key_kind *keys, size_t nr_keys, size_t nr_parts)
{
	memset(table, 0, sizeof(*table));
	table->keys = keys;
	table->nr_keys = nr_keys;
	table->nr_parts = nr_parts;
}

/* --- figures -------------------------------------------------------------- */

void part_read(struct row_part *part, const struct knl_func *func)
{
	_Static_assert(sizeof(struct ktrace_stats) == FIG_SINCE * sizeof(uint64_t), "figures");

	part_free(part);
	memcpy(&part->figures[FIG_CALLS], &func->stats, sizeof(func->stats));
	hist_read(&part->hist, func->buckets, func->nr_buckets);
}

/* What else its self time stands for is the reader's matter. */
void part_read_node(struct row_part *part, const struct ktrace_node *node)
{
	part->figures[FIG_CALLS] += node->calls;
	part->figures[FIG_TOTAL] += node->total_ns;
}

static void add_figures(uint64_t *to, const uint64_t *from)
{
	uint64_t min = to[FIG_MIN], max = to[FIG_MAX];
	int figure;

	if (from[FIG_CALLS] && (!to[FIG_CALLS] || from[FIG_MIN] < min))
		min = from[FIG_MIN];
	for (figure = 0; figure < NR_FIGURES; figure++)
		to[figure] += from[figure];
	to[FIG_MIN] = min;
	to[FIG_MAX] = from[FIG_MAX] > max ? from[FIG_MAX] : max;
}

void part_add(struct row_part *to, const struct row_part *from)
{
	add_figures(to->figures, from->figures);
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
	case FIG_AVG:
		return average(f[FIG_TOTAL], f[FIG_CALLS]);
	case FIG_MEAN:
		return average(f[FIG_SUM], f[FIG_CALLS]);
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

uint64_t row_figure(const struct row *row, enum figure figure, uint32_t parts)
{
	struct row_part sum = { .hist = { NULL, 0 } };
	uint64_t number;
	int part;

	if (!(parts & (parts - 1)))
		return figure_of(&row->parts[parts ? __builtin_ctz(parts) : 0], figure);
	for (part = 0; parts >> part; part++) {
		if (!(parts >> part & 1))
			continue;
		add_figures(sum.figures, row->parts[part].figures);
		if (figure >= FIG_P50 && figure <= FIG_P999)
			hist_merge(&sum.hist, &row->parts[part].hist);
	}
	number = figure_of(&sum, figure);
	part_free(&sum);
	return number;
}

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

bool column_is_on(const struct column *column, const struct table *table)
{
	return (table->flags & column->when) == column->when && !(table->flags & column->unless);
}

bool column_is_there(const struct column *column, const struct row *row)
{
	const struct row_key *key = &row->keys[column->key];

	if (column->format == FORMAT_KEY_TEXT)
		return key->text;
	if (column->format == FORMAT_KEY || column->format == FORMAT_KEY_NUMBER || column->add)
		return !key->is_none;
	return !column->needs || row_figure(row, column->needs, column->needs_parts);
}

/* --- rows ----------------------------------------------------------------- */

struct row *table_add(struct table *table)
{
	struct row *row;

	table->rows = mem_grow(table->rows, table->nr, sizeof(*table->rows));
	row = &table->rows[table->nr++];
	row->parts = mem_alloc(table->nr_parts * sizeof(*row->parts));
	return row;
}

static int compare_keys(const struct table *table, const struct row_key *x,
			const struct row_key *y, size_t nr)
{
	size_t key;
	int order = 0;

	for (key = 0; !order && key < nr; key++)
		order = table->keys[key].compare(&x[key], &y[key]);
	return order;
}

struct row *table_row(struct table *table, const struct row_key *keys)
{
	struct row *row = table->nr ? &table->rows[table->nr - 1] : NULL;

	if (row && !compare_keys(table, row->keys, keys, table->nr_keys))
		return row;
	row = table_add(table);
	memcpy(row->keys, keys, table->nr_keys * sizeof(*keys));
	return row;
}

static void free_row(const struct table *table, struct row *row)
{
	size_t part;

	for (part = 0; row->parts && part < table->nr_parts; part++)
		part_free(&row->parts[part]);
	free(row->parts);
}

static void add_row(const struct table *table, struct row *to, const struct row *from)
{
	size_t part;

	for (part = 0; part < table->nr_parts; part++)
		part_add(&to->parts[part], &from->parts[part]);
}

static int by_keys(const void *x, const void *y, void *arg)
{
	const struct table *table = arg;

	return compare_keys(table, ((const struct row *)x)->keys, ((const struct row *)y)->keys,
			    table->nr_keys);
}

void table_unite(struct table *table)
{
	struct row *to, *from;

	if (!table->nr)
		return;
	qsort_r(table->rows, table->nr, sizeof(*table->rows), by_keys, table);
	to = table->rows;
	for (from = to + 1; from < table->rows + table->nr; from++) {
		if (by_keys(to, from, table)) {
			*++to = *from;
			continue;
		}
		add_row(table, to, from);
		free_row(table, from);
	}
	table->nr = to + 1 - table->rows;
}

void table_keep(struct table *table, bool (*is_kept)(const struct row *row))
{
	size_t i, nr = 0;

	for (i = 0; i < table->nr; i++) {
		if (is_kept(&table->rows[i]))
			table->rows[nr++] = table->rows[i];
		else
			free_row(table, &table->rows[i]);
	}
	table->nr = nr;
}

struct row table_sum(const struct table *table, const struct layout *layout)
{
	struct row sum = { .parts = mem_alloc(table->nr_parts * sizeof(*sum.parts)) };
	const struct row *row;
	size_t part;

	for (row = table->rows; row < table->rows + table->nr; row++)
		for (part = 0; row_is_shown(table, layout, row) && part < table->nr_parts; part++)
			add_figures(sum.parts[part].figures, row->parts[part].figures);
	return sum;
}

const char *table_text(struct table *table, const char *format, ...)
{
	char **text;
	va_list args;

	table->texts = mem_grow(table->texts, table->nr_texts, sizeof(*table->texts));
	text = &table->texts[table->nr_texts++];
	va_start(args, format);
	*text = mem_format_args(format, args);
	va_end(args);
	return *text;
}

void table_free(struct table *table)
{
	while (table->nr)
		free_row(table, &table->rows[--table->nr]);
	while (table->nr_texts)
		free(table->texts[--table->nr_texts]);
	free_row(table, &table->total);
	free(table->rows);
	free(table->texts);
	table->rows = NULL;
	table->texts = NULL;
	table->total.parts = NULL;
}

static size_t find(const struct table *table, const struct row *row, size_t nr_keys, bool is_end)
{
	size_t low = 0, high = table->nr, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (compare_keys(table, table->rows[mid].keys, row->keys, nr_keys) < is_end)
			low = mid + 1;
		else
			high = mid;
	}
	return low;
}

struct table table_slice(const struct table *table, const struct row *row, size_t nr_keys)
{
	struct table slice = *table;
	size_t first = find(table, row, nr_keys, false);

	slice.rows += first;
	slice.nr = find(table, row, nr_keys, true) - first;
	slice.total.parts = NULL;
	return slice;
}

/* --- order ---------------------------------------------------------------- */

int key_by_number(const struct row_key *x, const struct row_key *y)
{
	return x->number < y->number ? -1 : x->number > y->number;
}

int key_by_text(const struct row_key *x, const struct row_key *y)
{
	int order = strcmp(x->text ? x->text : "", y->text ? y->text : "");

	return order ? order : key_by_number(x, y);
}

struct sorting {
	struct table *table;
	const struct layout *layout;
	const struct column *column;
};

static int down(uint64_t x, uint64_t y)
{
	return x < y ? 1 : x > y ? -1 : 0;
}

static int compare_column(const struct sorting *sorting, const struct row *x, const struct row *y)
{
	const struct column *column = sorting->column;

	if (column->format == FORMAT_KEY)
		return sorting->table->keys[column->key].compare(&x->keys[column->key],
								 &y->keys[column->key]);
	return down(row_figure(x, column->figure, column->parts),
		    row_figure(y, column->figure, column->parts));
}

static int by_column(const void *a, const void *b, void *arg)
{
	const struct sorting *sorting = arg;
	const struct table *table = sorting->table;
	const struct row *x = a, *y = b;
	enum figure tie = sorting->layout->tie;
	int order = compare_keys(table, x->keys, y->keys, table->nr_leading);

	order = order ? order : compare_column(sorting, x, y);
	if (!order && tie)
		order = down(row_figure(x, tie, 0), row_figure(y, tie, 0));
	return order ? order : compare_keys(table, x->keys, y->keys, table->nr_keys);
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
