// SPDX-License-Identifier: GPL-2.0
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "report/layout.h"
#include "util/cut.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/plain.h"
#include "util/style.h"

#define CELL_LEN 64
#define NAME_ROOM 28	/* columns are dropped until names have this room, or their full length */
#define NAME_LEAST 8
#define MARK_LEN 2	/* "()" after a name */

/* State that all lines of a table share. */
struct printing {
	FILE *out;
	const struct table *table;
	const struct layout *layout;
	struct row total;
	int *widths;		/* of columns, minimum */
	int *limits;		/* of columns, maximum; 0: none */
	bool *is_dropped;
	int columns;		/* of a line; 0: no limit */
	int at;			/* columns written on the current line */
	int owed;		/* pending blanks; dropped at the end of a line */
};

/* --- cells ------------------------------------------------------------------ */

static double divide(double number, double by)
{
	return by ? number / by : 0;
}

/* The divisor of a quotient. */
static double per(const struct printing *printing, const struct column *column,
		  const struct row *row)
{
	enum figure by = figure_kinds[column->figure].per;
	uint64_t observed = row_figure(row, FIG_OBSERVED, 0);

	if (by == FIG_SECONDS)
		return (observed ? observed : printing->table->duration_ns) / 1e9;
	if (by == FIG_WHOLE)
		return row_figure(&printing->total, column->figure, column->parts);
	return by ? row_figure(row, by, column->per_parts ? column->per_parts : column->parts) : 1;
}

static uint64_t rounded(double real)
{
	return real < (double)UINT64_MAX ? (uint64_t)(real + 0.5) : UINT64_MAX;
}

static const char *put_number(char text[CELL_LEN], const struct printing *printing,
			      const struct column *column, const struct row *row)
{
	const struct figure_kind *kind = &figure_kinds[column->figure];
	uint64_t number = row_figure(row, column->figure, column->parts);
	double real;

	if (kind->format == FORMAT_COUNT) {
		snprintf(text, CELL_LEN, "%llu", (unsigned long long)number);
		return text;
	}
	real = divide(number, per(printing, column, row));
	if (kind->format == FORMAT_TIME)
		return fmt_duration(text, rounded(real));
	if (kind->format == FORMAT_BYTES)
		return fmt_bytes(text, rounded(real));
	if (kind->format == FORMAT_RATE)
		return fmt_rate(text, real);
	if (kind->format == FORMAT_PERCENT)
		real *= 100;
	snprintf(text, CELL_LEN, "%.*f%s", kind->decimals, real, column->unit ? column->unit : "");
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
	const struct figure_kind *kind = &figure_kinds[column->figure];
	bool is_total = row == &printing->total;

	if (is_total && kind->is_of_rows)
		return "";
	if (!column->figure && is_total)
		return column->is_of_total ? "total" : "";
	if (!column->figure)
		return key_text(text, column, &row->keys[column->key]);
	if (!column_is_there(column, row, kind->is_rare ? column->figure : column->needs))
		return column->none ? column->none : "";
	return put_number(text, printing, column, row);
}

/* --- lines ------------------------------------------------------------------ */

static const struct column *column_at(const struct printing *printing, size_t i)
{
	const struct column *column = &printing->layout->columns[i];

	if (column->is_hidden || !column_is_on(column, printing->table) || printing->is_dropped[i])
		return NULL;
	return column;
}

/* Units after a slash, as in BYTES/s, stay as they are. */
static const char *title_of(char text[CELL_LEN], const struct printing *printing,
			    const struct column *column)
{
	const struct key_kind *key = &printing->table->kind->keys[column->key];
	const char *from = column->title ? column->title :
			   column->figure ? figure_kinds[column->figure].title :
			   key->title ? key->title : key->name;
	char *to;

	if (column->title || !printing->layout->is_upper)
		return from;
	snprintf(text, CELL_LEN, "%s", from);
	for (to = text; *to && *to != '/'; to++)
		*to = toupper(*to);
	return text;
}

static void put(struct printing *printing, const char *text)
{
	if (!*text)
		return;
	out_put(printing->out, "%*s%s", printing->owed, "", text);
	printing->at += printing->owed + (int)plain_columns(text, strlen(text));
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

static void put_cut(struct printing *printing, const char *text, size_t i)
{
	const struct column *column = &printing->layout->columns[i];
	int limit = printing->limits[i];
	char *part = NULL;

	if (limit && (int)plain_columns(text, strlen(text)) > limit)
		text = part = column->is_function ? cut_name(text, limit) : plain_cut(text, limit);
	put_cell(printing, text, printing->widths[i],
		 !column->figure && printing->table->kind->keys[column->key].is_left);
	free(part);
}

static void end_line(struct printing *printing)
{
	fputc('\n', printing->out);
	printing->owed = printing->at = 0;
}

static const char *gap_of(const struct layout *layout)
{
	return layout->gap ? layout->gap : " ";
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
	const char *before = layout->begin ? layout->begin : "";
	const struct column *column;
	char text[CELL_LEN];
	const char *what;
	size_t i;

	for (i = 0; i < layout->nr; i++) {
		column = column_at(printing, i);
		if (!column)
			continue;
		printing->owed += strlen(before) + column->indent;
		what = line == LINE_TITLES ? title_of(text, printing, column) :
		       line == LINE_RULE ? rule(text, printing->widths[i]) :
		       cell(text, printing, column, row);
		put_cut(printing, what, i);
		before = gap_of(layout);
	}
}

/*
 * Prints a remark, which is "()" and comments. The comments go to the next lines if they do not
 * fit. A remark of several lines is printed as it is.
 */
static void put_remark(struct printing *printing, const char *text)
{
	const char *comment = strstr(text, " /*");
	int len = plain_columns(text, strcspn(text, "\n"));

	if (!printing->columns || !comment || strchr(text, '\n') ||
	    printing->at + printing->owed + len <= printing->columns) {
		out_put(printing->out, "%*s", printing->owed, "");
		out_kept(printing->out, text, strlen(text));
		return;
	}
	out_put(printing->out, "%*s%.*s", printing->owed, "", (int)(comment - text), text);
	out_comments(printing->out, comment, printing->columns, printing->columns);
}

static void remark(struct printing *printing, const struct row *row)
{
	char *text = NULL;
	size_t len;
	FILE *out = open_memstream(&text, &len);

	if (!out)
		return;
	printing->layout->remark(out, printing->table, row);
	fclose(out);
	if (*text)
		put_remark(printing, text);
	free(text);
}

static void put_row(struct printing *printing, const struct row *row)
{
	const struct layout *layout = printing->layout;

	put_line(printing, LINE_ROW, row);
	if (layout->remark && row != &printing->total)
		remark(printing, row);
	end_line(printing);
	if (layout->detail && row != &printing->total)
		layout->detail(printing->out, printing->table, row);
}

/* --- the width of a line -------------------------------------------------------- */

static int least_width(const struct printing *printing, const struct column *column)
{
	static const int widths[NR_FORMATS] = {
		[FORMAT_COUNT] = 9, [FORMAT_TIME] = 8, [FORMAT_BYTES] = 9, [FORMAT_RATE] = 8,
		[FORMAT_REAL] = 6, [FORMAT_PERCENT] = 6,
	};
	enum format format = figure_kinds[column->figure].format;

	if (column->width)
		return column->width;
	if (!column->figure)
		return printing->table->kind->keys[column->key].width;
	if (format == FORMAT_TIME && printing->layout->time_width)
		return printing->layout->time_width;
	return widths[format];
}

/* Returns the width of a column. The last column may be narrower than its title. */
static int width_of(const struct printing *printing, const struct column *column)
{
	const struct table *table = printing->table;
	bool is_last = column == &printing->layout->columns[printing->layout->nr - 1];
	int width = least_width(printing, column), len;
	char room[CELL_LEN];
	const struct row *row;
	const char *text;

	len = strlen(title_of(room, printing, column));
	if (!column->is_hidden && !is_last && len > width)
		width = len;
	for (row = table->rows; column->is_grown && row < table->rows + table->nr; row++) {
		text = cell(room, printing, column, row);
		len = plain_columns(text, strlen(text));
		width = len > width ? len : width;
	}
	return width;
}

/*
 * Returns the length of the longest text of a column in the shown rows. Used for columns that may
 * be cut.
 */
static int longest_of(const struct printing *printing, const struct column *column)
{
	const struct table *table = printing->table;
	char room[CELL_LEN];
	int longest = strlen(title_of(room, printing, column)), len;
	const struct row *row;
	const char *text;

	for (row = table->rows; row < table->rows + table->nr; row++) {
		if (!row_is_shown(table, printing->layout, row))
			continue;
		text = cell(room, printing, column, row);
		len = plain_columns(text, strlen(text));
		longest = len > longest ? len : longest;
	}
	return longest;
}

/* Returns the width of a line whose names have at most name_room columns. */
static int line_width(const struct printing *printing, const int *longest, int name_room)
{
	const struct layout *layout = printing->layout;
	int gap = strlen(gap_of(layout)), own;
	int width = (layout->begin ? strlen(layout->begin) : 0) - gap;
	const struct column *column;
	size_t i;

	for (i = 0; i < layout->nr; i++) {
		column = column_at(printing, i);
		if (!column)
			continue;
		own = printing->widths[i];
		if (column->is_cut)
			own = longest[i] < name_room ? longest[i] : name_room;
		width += gap + column->indent + own;
	}
	return width + (layout->remark ? MARK_LEN : 0);
}

/* Drops the columns with the highest number. Returns false if no column can be dropped. */
static bool drop_one(struct printing *printing)
{
	const struct layout *layout = printing->layout;
	const struct column *column;
	int most = 0;
	size_t i;

	for (i = 0; i < layout->nr; i++) {
		column = column_at(printing, i);
		if (column && column->drop > most)
			most = column->drop;
	}
	for (i = 0; most && i < layout->nr; i++)
		if (layout->columns[i].drop == most)
			printing->is_dropped[i] = true;
	return most;
}

static void limit_names(struct printing *printing, const int *longest, int room)
{
	size_t i;

	for (i = 0; i < printing->layout->nr; i++) {
		if (!printing->layout->columns[i].is_cut)
			continue;
		printing->limits[i] = room;
		if (printing->widths[i] > room)
			printing->widths[i] = room;
		if (printing->layout->columns[i].is_grown && longest[i] < printing->widths[i])
			printing->widths[i] = longest[i];
	}
}

static void fit(struct printing *printing)
{
	const struct layout *layout = printing->layout;
	int *longest, room;
	size_t i;

	if (!printing->columns)
		return;
	longest = mem_alloc(layout->nr * sizeof(*longest));
	for (i = 0; i < layout->nr; i++)
		if (layout->columns[i].is_cut)
			longest[i] = longest_of(printing, &layout->columns[i]);
	while (line_width(printing, longest, NAME_ROOM) > printing->columns)
		if (!drop_one(printing))
			break;
	for (room = printing->columns; room > NAME_LEAST; room--)
		if (line_width(printing, longest, room) <= printing->columns)
			break;
	limit_names(printing, longest, room);
	free(longest);
}

/* --- the whole -------------------------------------------------------------- */

static void begin(struct printing *printing)
{
	const struct layout *layout = printing->layout;
	size_t i;

	printing->total = printing->table->total;
	if (!printing->total.parts)
		printing->total = table_sum(printing->table, layout);
	printing->columns = style_get()->columns;
	printing->widths = mem_alloc(layout->nr * sizeof(*printing->widths));
	printing->limits = mem_alloc(layout->nr * sizeof(*printing->limits));
	printing->is_dropped = mem_alloc(layout->nr * sizeof(*printing->is_dropped));
	for (i = 0; i < layout->nr; i++)
		printing->widths[i] = width_of(printing, &layout->columns[i]);
	fit(printing);
}

/* Names the columns for which the line has no room. */
static void put_dropped(const struct printing *printing)
{
	const struct layout *layout = printing->layout;
	const struct column *column;
	char *text = NULL, *more, title[CELL_LEN];
	size_t i;

	if (!(printing->table->flags & layout->tells_dropped))
		return;
	for (i = 0; i < layout->nr; i++) {
		column = &layout->columns[i];
		if (!printing->is_dropped[i] || column->is_hidden ||
		    !column_is_on(column, printing->table))
			continue;
		more = mem_format("%s%s%s", text ? text : "room: ", text ? ", " : "",
				  title_of(title, printing, column));
		free(text);
		text = more;
	}
	if (!text)
		return;
	more = mem_format("%s; COLUMNS=200 shows all.", text);
	out_put(printing->out, "Without");
	out_words(printing->out, more, strlen("Without"), strlen("Without "), printing->columns);
	free(more);
	free(text);
}

static void put_rule(struct printing *printing)
{
	if (!printing->layout->has_rule)
		return;
	put_line(printing, LINE_RULE, NULL);
	end_line(printing);
}

void layout_print(FILE *out, const struct table *table, const struct layout *layout)
{
	struct printing printing = { .out = out, .table = table, .layout = layout };
	const struct row *row;

	if (layout->empty && !layout_is_shown(table, layout)) {
		out_put(out, "%s\n", layout->empty);
		return;
	}
	begin(&printing);
	style_begin(out, STYLE_TITLE);
	put_line(&printing, LINE_TITLES, NULL);
	style_end(out, STYLE_TITLE);
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
	put_dropped(&printing);
	if (!table->total.parts)
		free(printing.total.parts);
	free(printing.widths);
	free(printing.limits);
	free(printing.is_dropped);
}

void table_print(FILE *out, const struct table *table)
{
	const struct layout *const *layout;

	for (layout = table->kind->screens; *layout; layout++) {
		if ((table->flags & (*layout)->when) != (*layout)->when)
			continue;
		if (layout > table->kind->screens)
			fputc('\n', out);
		layout_print(out, table, *layout);
		if (!table->nr)
			return;
	}
}
