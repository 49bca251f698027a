// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/table.h"
#include "util/mem.h"

void table_init(struct table *table, const struct table_kind *kind)
{
	memset(table, 0, sizeof(*table));
	table->kind = kind;
	table->nr_keys = kind->nr_keys;
	table->nr_parts = kind->nr_parts ? kind->nr_parts : 1;
}

/* --- keys ----------------------------------------------------------------- */

int key_by_number(const struct row_key *x, const struct row_key *y)
{
	return x->number < y->number ? -1 : x->number > y->number;
}

int key_by_text(const struct row_key *x, const struct row_key *y)
{
	int order = strcmp(x->text ? x->text : "", y->text ? y->text : "");

	return order ? order : key_by_number(x, y);
}

int table_compare(const struct table *table, const struct row_key *x, const struct row_key *y,
		  size_t nr)
{
	size_t key;
	int order = 0;

	for (key = 0; !order && key < nr; key++)
		order = table->kind->keys[key].compare(&x[key], &y[key]);
	return order;
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

	return table_compare(table, ((const struct row *)x)->keys, ((const struct row *)y)->keys,
			    table->nr_keys);
}

void table_unite(struct table *table)
{
	size_t nr_telling = table->kind->nr_telling ? table->kind->nr_telling : table->nr_keys;
	struct row *to, *from;

	if (!table->nr)
		return;
	qsort_r(table->rows, table->nr, sizeof(*table->rows), by_keys, table);
	to = table->rows;
	for (from = to + 1; from < table->rows + table->nr; from++) {
		if (table_compare(table, to->keys, from->keys, nr_telling)) {
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
	free_row(table, &table->others);
	free(table->rows);
	free(table->texts);
	table->rows = NULL;
	table->texts = NULL;
	table->total.parts = table->others.parts = NULL;
}

static size_t find(const struct table *table, const struct row *row, size_t nr_keys, bool is_end)
{
	size_t low = 0, high = table->nr, mid;

	while (low < high) {
		mid = (low + high) / 2;
		if (table_compare(table, table->rows[mid].keys, row->keys, nr_keys) < is_end)
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
