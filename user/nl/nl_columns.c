// SPDX-License-Identifier: GPL-2.0
/* Where a table's rows have what. */
#include <stddef.h>
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

uint64_t knl_row_number(const struct knl_table *table, const struct knl_row *row,
			const struct ktrace_column *column)
{
	return column ? row->cells[table->at[column - table->columns]] : 0;
}

const char *knl_row_text(char text[KTRACE_COLUMN_TEXT_LEN + 1], const struct knl_table *table,
			 const struct knl_row *row, const struct ktrace_column *column)
{
	memset(text, 0, KTRACE_COLUMN_TEXT_LEN + 1);
	if (column && knl_column_words(column) == 2)
		memcpy(text, &row->cells[table->at[column - table->columns]],
		       KTRACE_COLUMN_TEXT_LEN);
	return text;
}

uint64_t knl_row_file(uint32_t *dev, const struct knl_table *table, const struct knl_row *row,
		      const struct ktrace_column *column)
{
	const uint64_t *words = &row->cells[table->at[column - table->columns]];

	*dev = words[0];
	return knl_column_words(column) == 2 ? words[1] : 0;
}

#define STAT(id, field) { KTRACE_FIGURE_##id, offsetof(struct ktrace_stats, field) }

void knl_row_stats(const struct knl_table *table, const struct knl_row *row,
		   struct ktrace_stats *stats)
{
	static const struct {
		uint32_t figure;
		size_t at;
	} fields[] = {
		STAT(CALLS, calls), STAT(ENTRIES, entries), STAT(ERRORS, errors),
		STAT(TOTAL, total_ns), STAT(SELF, self_ns), STAT(SUM, sum_ns),
		STAT(MIN, min_ns), STAT(MAX, max_ns), STAT(BYTES, bytes), STAT(GAPS, gaps),
		STAT(GAP_TIME, gap_ns), STAT(PAGE_HITS, page_hits),
		STAT(PAGE_MISSES, page_misses), STAT(PAGES_AHEAD, pages_ahead),
		STAT(PAGES_DIRTIED, pages_dirtied), STAT(AT_MOST, at_most),
	};
	uint64_t number;
	size_t i;

	memset(stats, 0, sizeof(*stats));
	for (i = 0; i < sizeof(fields) / sizeof(*fields); i++) {
		number = knl_row_number(table, row, knl_table_figure(table, fields[i].figure));
		/* Its members are of another type of 64 bits, which does not alias this one. */
		memcpy((char *)stats + fields[i].at, &number, sizeof(number));
	}
	if (!stats->calls)
		stats->min_ns = 0;
}
