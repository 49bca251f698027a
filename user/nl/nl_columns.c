// SPDX-License-Identifier: GPL-2.0
/* The columns of a table, and their cells in a row. */
#include <string.h>

#include "nl/nl_table.h"

uint32_t knl_column_words(const struct ktrace_column *column)
{
	return column->kind == KTRACE_COLUMN_TEXT || column->kind == KTRACE_COLUMN_LATEST ||
	       column->kind == KTRACE_COLUMN_FILE ? 2 : 1;
}

bool knl_table_is_chosen(const struct knl_table *table)
{
	return table->shape.max_rows;
}

static const struct ktrace_column *find(const struct knl_table *table, uint32_t id, bool is_key)
{
	const struct ktrace_column *column;

	for (column = table->columns; column < table->columns + table->nr_columns; column++)
		if (column->id == id && !column->is_key == !is_key)
			return column;
	return NULL;
}

const struct ktrace_column *knl_table_key(const struct knl_table *table, uint32_t key)
{
	return find(table, key, true);
}

const struct ktrace_column *knl_table_figure(const struct knl_table *table, uint32_t figure)
{
	return find(table, figure, false);
}

static uint64_t number_of(const struct knl_row *row, const struct ktrace_column *column)
{
	return column ? row->cells[row->table->at[column - row->table->columns]] : 0;
}

uint64_t knl_row_key(const struct knl_row *row, uint32_t key)
{
	return number_of(row, knl_table_key(row->table, key));
}

uint64_t knl_row_figure(const struct knl_row *row, uint32_t figure)
{
	return number_of(row, knl_table_figure(row->table, figure));
}

const char *knl_row_text(char text[KTRACE_COLUMN_TEXT_LEN + 1], const struct knl_row *row,
			 const struct ktrace_column *column)
{
	memset(text, 0, KTRACE_COLUMN_TEXT_LEN + 1);
	if (column && knl_column_words(column) == 2)
		memcpy(text, &row->cells[row->table->at[column - row->table->columns]],
		       KTRACE_COLUMN_TEXT_LEN);
	return text;
}

uint64_t knl_row_file(uint32_t *dev, const struct knl_row *row, const struct ktrace_column *column)
{
	const uint64_t *words = column ? &row->cells[row->table->at[column - row->table->columns]] :
				NULL;

	*dev = words ? words[0] : 0;
	return words && knl_column_words(column) == 2 ? words[1] : 0;
}
