// SPDX-License-Identifier: GPL-2.0
/* The columns of a table, their cells in a row, and the buckets of its histogram. */
#include <string.h>

#include "client/parts.h"

uint32_t ktr_column_words(const struct ktrace_column *column)
{
	return column->kind == KTRACE_COLUMN_TEXT || column->kind == KTRACE_COLUMN_LATEST ||
	       column->kind == KTRACE_COLUMN_FILE ? 2 : 1;
}

static const struct ktrace_column *find(const struct ktr_table *table, uint32_t id, bool is_key)
{
	const struct ktrace_column *column;

	for (column = table->columns; column < table->columns + table->nr_columns; column++)
		if (column->id == id && !column->is_key == !is_key)
			return column;
	return NULL;
}

const struct ktrace_column *ktr_table_key(const struct ktr_table *table, uint32_t key)
{
	return find(table, key, true);
}

const struct ktrace_column *ktr_table_figure(const struct ktr_table *table, uint32_t figure)
{
	return find(table, figure, false);
}

static uint64_t number_of(const struct ktr_row *row, const struct ktrace_column *column)
{
	return column ? row->cells[row->table->at[column - row->table->columns]] : 0;
}

uint64_t ktr_row_key(const struct ktr_row *row, uint32_t key)
{
	return number_of(row, ktr_table_key(row->table, key));
}

uint64_t ktr_row_figure(const struct ktr_row *row, uint32_t figure)
{
	return number_of(row, ktr_table_figure(row->table, figure));
}

const char *ktr_row_text(char text[KTRACE_COLUMN_TEXT_LEN + 1], const struct ktr_row *row,
			 const struct ktrace_column *column)
{
	memset(text, 0, KTRACE_COLUMN_TEXT_LEN + 1);
	if (column && ktr_column_words(column) == 2)
		memcpy(text, &row->cells[row->table->at[column - row->table->columns]],
		       KTRACE_COLUMN_TEXT_LEN);
	return text;
}

uint64_t ktr_row_file(uint32_t *dev, const struct ktr_row *row, const struct ktrace_column *column)
{
	const uint64_t *words = column ? &row->cells[row->table->at[column - row->table->columns]] :
				NULL;

	*dev = words ? words[0] : 0;
	return words && ktr_column_words(column) == 2 ? words[1] : 0;
}

/* Bucket index = octave << KTRACE_BUCKET_BITS | part, as in uapi/ktrace.h. */
uint64_t ktr_bucket_low(uint32_t index)
{
	const uint32_t parts = 1U << KTRACE_BUCKET_BITS, end = KTRACE_NR_OCTAVES * parts;
	uint32_t octave;

	/* The module has no bucket above this index. */
	index = index < end ? index : end;
	octave = index / parts;
	return octave ? (uint64_t)(parts + index % parts) << (octave - 1) : index;
}

uint64_t ktr_bucket_high(uint32_t index)
{
	return ktr_bucket_low(index < KTRACE_NR_OCTAVES << KTRACE_BUCKET_BITS ? index + 1 : index);
}
