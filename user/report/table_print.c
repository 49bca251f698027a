// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/plain.h"

#define CELL_LEN 64

/* What all lines of one table go by. */
struct printing {
	FILE *out;
	const struct table *table;
	const struct layout *layout;
	struct row total;
	int *widths;		/* of columns */
	int owed;		/* blanks: no line ends with any */
};

/* --- cells ------------------------------------------------------------------ */

static double divide(double number, double by)
{
	return by ? number / by : 0;
}

static double per(const struct printing *printing, const struct column *column,
		  const struct row *row)
{
	if (column->per == FIG_SECONDS)
		return printing->table->duration_ns / 1e9;
	if (column->per == FIG_WHOLE)
		return row_figure(&printing->total, column->figure, column->parts);
	return column->per ? row_figure(row, column->per, column->per_parts) : 1;
}

static const char *put_number(char text[CELL_LEN], const struct printing *printing,
			      const struct column *column, const struct row *row)
{
	uint64_t number = row_figure(row, column->figure, column->parts), by;
	double real;

	if (column->format == FORMAT_TIME)
		return fmt_duration(text, number);
	if (column->format == FORMAT_COUNT) {
		by = column->per ? row_figure(row, column->per, column->per_parts) : 1;
		number = by ? number / (column->scale ? (uint64_t)column->scale : 1) / by : 0;
		snprintf(text, CELL_LEN, "%llu", (unsigned long long)number);
		return text;
	}
	real = divide(number, per(printing, column, row)) / (column->scale ? column->scale : 1);
	if (column->format == FORMAT_PERCENT)
		real *= 100;
	snprintf(text, CELL_LEN, "%.*f%s", column->decimals, real, column->unit ? column->unit : "");
	return text;
}

static const char *key_text(char text[CELL_LEN], const struct column *column,
			    const struct row_key *key)
{
	if (key->is_none)
		return column->none ? column->none : "";
	if (key->text)
		return key->text;
	snprintf(text, CELL_LEN, "%llu", (unsigned long long)key->number);
	return text;
}

static const char *cell(char text[CELL_LEN], const struct printing *printing,
			const struct column *column, const struct row *row)
{
	bool is_total = row == &printing->total;

	if (is_total && column->is_of_rows)
		return "";
	if (column->format == FORMAT_KEY && is_total)
		return column->is_of_total ? "total" : "";
	if (column->format == FORMAT_KEY)
		return key_text(text, column, &row->keys[column->key]);
	if (!column_is_there(column, row))
		return column->none ? column->none : "";
	return put_number(text, printing, column, row);
}

/* --- lines ------------------------------------------------------------------ */

static const struct column *column_at(const struct printing *printing, size_t i)
{
	const struct column *column = &printing->layout->columns[i];

	return column->title && column_is_on(column, printing->table) ? column : NULL;
}

static void put(struct printing *printing, const char *text)
{
	if (!*text)
		return;
	out_put(printing->out, "%*s%s", printing->owed, "", text);
	printing->owed = 0;
}

static void put_cell(struct printing *printing, const char *text, int width, bool is_left)
{
	int pad = width - (int)plain_columns(text, strlen(text));

	pad = pad > 0 ? pad : 0;
	printing->owed += is_left ? 0 : pad;
	put(printing, text);
	printing->owed += is_left ? pad : 0;
}

static void end_line(struct printing *printing)
{
	fputc('\n', printing->out);
	printing->owed = 0;
}

enum line { LINE_TITLES, LINE_RULE, LINE_ROW };

static const char *rule(char text[CELL_LEN], int width)
{
	width = width < CELL_LEN ? width : CELL_LEN - 1;
	memset(text, '-', width);
	text[width] = 0;
	return text;
}

static void put_line(struct printing *printing, enum line line, const struct row *row)
{
	const struct layout *layout = printing->layout;
	const char *before = layout->begin;
	const struct column *column;
	char text[CELL_LEN];
	const char *what;
	size_t i;

	for (i = 0; i < layout->nr; i++) {
		column = column_at(printing, i);
		if (!column)
			continue;
		printing->owed += strlen(before) + column->indent;
		what = line == LINE_TITLES ? column->title :
		       line == LINE_RULE ? rule(text, printing->widths[i]) :
		       cell(text, printing, column, row);
		put_cell(printing, what, printing->widths[i], column->is_left);
		before = layout->gap;
	}
}

static void put_above(struct printing *printing)
{
	const struct layout *layout = printing->layout;
	int at = 0, end = strlen(layout->begin), start;
	const struct column *column;
	size_t i;

	for (i = 0; i < layout->nr; i++) {
		column = column_at(printing, i);
		if (!column)
			continue;
		start = end + column->indent;
		end = start + printing->widths[i] + strlen(layout->gap);
		if (!column->above)
			continue;
		if (!column->is_above_left)
			start = end - (int)(strlen(layout->gap) + strlen(column->above));
		put_cell(printing, column->above, start - at + (int)strlen(column->above), false);
		at = start + strlen(column->above);
	}
	if (at)
		end_line(printing);
}

static void put_row(struct printing *printing, const struct row *row)
{
	const struct layout *layout = printing->layout;

	put_line(printing, LINE_ROW, row);
	if (layout->remark && row != &printing->total) {
		out_put(printing->out, "%*s", printing->owed, "");
		layout->remark(printing->out, printing->table, row);
	}
	end_line(printing);
	if (layout->detail && row != &printing->total)
		layout->detail(printing->out, printing->table, row);
}

/* --- the whole -------------------------------------------------------------- */

static int width_of(const struct printing *printing, const struct column *column)
{
	const struct table *table = printing->table;
	int width = column->width, len;
	char room[CELL_LEN];
	const struct row *row;
	const char *text;

	for (row = table->rows; column->is_grown && row < table->rows + table->nr; row++) {
		text = cell(room, printing, column, row);
		len = plain_columns(text, strlen(text));
		width = len > width ? len : width;
	}
	return width;
}

static void begin(struct printing *printing)
{
	const struct layout *layout = printing->layout;
	size_t i;

	printing->total = printing->table->total;
	if (!printing->total.parts)
		printing->total = table_sum(printing->table, layout);
	printing->widths = mem_alloc(layout->nr * sizeof(*printing->widths));
	for (i = 0; i < layout->nr; i++)
		printing->widths[i] = width_of(printing, &layout->columns[i]);
}

static void put_rule(struct printing *printing)
{
	if (!printing->layout->has_rule)
		return;
	put_line(printing, LINE_RULE, NULL);
	end_line(printing);
}

void table_print(FILE *out, const struct table *table, const struct layout *layout)
{
	struct printing printing = { .out = out, .table = table, .layout = layout };
	const struct row *row;

	begin(&printing);
	put_above(&printing);
	put_line(&printing, LINE_TITLES, NULL);
	end_line(&printing);
	if (table->nr)
		put_rule(&printing);
	for (row = table->rows; row < table->rows + table->nr; row++)
		if (row_is_shown(table, layout, row))
			put_row(&printing, row);
	if (layout->has_total) {
		put_rule(&printing);
		put_row(&printing, &printing.total);
	}
	if (!table->total.parts)
		free(printing.total.parts);
	free(printing.widths);
}
