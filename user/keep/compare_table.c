// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keep/compare_show.h"
#include "util/cut.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/plain.h"
#include "util/style.h"

#define NAME_ROOM 28	/* figures are dropped until names have this room, or their full length */
#define NAME_LEAST 8
#define GAP 2		/* blanks between columns */

/* The columns of one figure. */
enum part { PART_A, PART_B, PART_CHANGE, PART_PERCENT, NR_PARTS };

#define NR_COLUMNS (NR_COMPARED * NR_PARTS)

/* The texts of one line; NULL: empty. */
struct line {
	char *cells[NR_COLUMNS];
	const char *name;
	char *remark;
};

struct printing {
	FILE *out;
	const struct comparison *comparison;
	struct line *lines;	/* first the titles; last the sums, if there are any */
	size_t nr;
	int widths[NR_COLUMNS];
	bool is_shown[NR_COMPARED];
	size_t name_limit;	/* columns; 0: none */
};

/* --- cells -------------------------------------------------------------------- */

static char *figure_text(enum compare_figure_id id, uint64_t value)
{
	char text[FMT_LEN];

	if (compare_figures[id].is_share)
		return mem_format("%.2f", value / 1e4);
	if (figure_kinds[compare_figures[id].figure].format == FORMAT_TIME)
		return mem_string(fmt_duration(text, value));
	return mem_format("%llu", (unsigned long long)value);
}

static char *side_text(const struct compare_change *change, int side, enum compare_figure_id id)
{
	const struct spread *spread = &change->of[side];
	char *text, *value;

	if (!change->has[side])
		return NULL;
	value = figure_text(id, spread->median);
	if (compare_figures[id].is_share) {
		text = mem_format("%s%%", value);
		free(value);
		value = text;
	}
	if (spread->nr < 2)
		return value;
	text = mem_format("%s +-%.1f%%", value, spread->median ?
			  50.0 * (spread->max - spread->min) / spread->median : 0);
	free(value);
	return text;
}

static char *change_text(const struct compare_change *change, enum compare_figure_id id)
{
	char *by, *text;

	if (!change->is_known)
		return NULL;
	by = figure_text(id, change->by);
	text = mem_format("%s%s", !change->by ? "" : change->is_less ? "-" : "+", by);
	free(by);
	return text;
}

static char *percent_text(const struct printing *printing, const struct compare_change *change,
			  const struct compare_row *row)
{
	const char *none = compare_is_decisive(printing->comparison) ? " " : "";
	char text[COMPARE_PERCENT_LEN];

	return mem_format("%s%s", compare_percent(text, change, row),
			  change_is_significant(change) ? "*" : none);
}

static void fill_figure(struct printing *printing, struct line *line,
			const struct compare_row *row, enum compare_figure_id id)
{
	struct compare_change change = compare_change(printing->comparison, row, id);
	char **cells = &line->cells[id * NR_PARTS];

	cells[PART_A] = side_text(&change, SIDE_A, id);
	cells[PART_B] = side_text(&change, SIDE_B, id);
	cells[PART_CHANGE] = change_text(&change, id);
	cells[PART_PERCENT] = percent_text(printing, &change, row);
}

static void fill_titles(struct printing *printing)
{
	const char *title;
	char **cells;
	int id;

	for (id = 0; id < NR_COMPARED; id++) {
		title = compare_figure_title(id);
		cells = &printing->lines[0].cells[id * NR_PARTS];
		cells[PART_A] = mem_format("%s A", title);
		cells[PART_B] = mem_format("%s B", title);
		cells[PART_CHANGE] = mem_string("change");
		cells[PART_PERCENT] = mem_string("%");
	}
	printing->lines[0].name = printing->comparison->has_paths ? "path" : "name";
}

static void fill_row(struct printing *printing, const struct compare_row *row)
{
	struct line *line = &printing->lines[printing->nr++];
	int id;

	for (id = 0; id < NR_COMPARED; id++)
		if (printing->is_shown[id])
			fill_figure(printing, line, row, id);
	line->name = row->label;
	line->remark = compare_remark(printing->comparison, row);
}

/* The sums of all rows, as far as rows do not contain each other. */
static void fill_whole(struct printing *printing)
{
	const struct comparison *comparison = printing->comparison;
	struct line *line = &printing->lines[printing->nr++];
	struct compare_row whole = comparison->whole;

	whole.runs[SIDE_A] = whole.runs[SIDE_B] = 1;
	fill_figure(printing, line, &whole, compare_time(comparison));
	line->name = "(all)";
}

static void fill(struct printing *printing)
{
	const struct comparison *comparison = printing->comparison;
	size_t i;
	int id;

	for (id = 0; id < NR_COMPARED; id++)
		printing->is_shown[id] = comparison->has_figure[id] &&
					 !compare_figures[id].is_hidden;
	printing->lines = mem_alloc((comparison->nr + 2) * sizeof(*printing->lines));
	printing->nr = 1;
	fill_titles(printing);
	for (i = 0; i < comparison->nr; i++)
		fill_row(printing, comparison->rows[i]);
	if (comparison->has_whole)
		fill_whole(printing);
}

/* --- widths ------------------------------------------------------------------- */

static int columns_of(const char *text)
{
	return text ? (int)plain_columns(text, strlen(text)) : 0;
}

static void measure(struct printing *printing)
{
	const struct line *line = printing->lines, *end = line + printing->nr;
	int column, width;

	for (; line < end; line++) {
		for (column = 0; column < NR_COLUMNS; column++) {
			width = columns_of(line->cells[column]);
			if (width > printing->widths[column])
				printing->widths[column] = width;
		}
	}
}

static int width_of_figures(const struct printing *printing)
{
	int column, width = 0;

	for (column = 0; column < NR_COLUMNS; column++)
		if (printing->is_shown[column / NR_PARTS])
			width += printing->widths[column] + GAP;
	return width;
}

/* The figure by which rows are compared stays. Returns false if there is no other one. */
static bool drop_one(struct printing *printing)
{
	enum compare_figure_id kept = compare_time(printing->comparison);
	int id, found = -1;

	for (id = 0; id < NR_COMPARED; id++)
		if (printing->is_shown[id] && id != (int)kept &&
		    (found < 0 || compare_figures[id].drop >= compare_figures[found].drop))
			found = id;
	if (found >= 0)
		printing->is_shown[found] = false;
	return found >= 0;
}

static void fit(struct printing *printing)
{
	int columns = style_get()->columns, longest = 0, room, left;
	size_t i;

	if (!columns)
		return;
	for (i = 0; i < printing->nr; i++)
		if (columns_of(printing->lines[i].name) > longest)
			longest = columns_of(printing->lines[i].name);
	room = longest < NAME_ROOM ? longest : NAME_ROOM;
	while (width_of_figures(printing) + room > columns && drop_one(printing))
		;
	left = columns - width_of_figures(printing);
	printing->name_limit = left > NAME_LEAST ? left : NAME_LEAST;
}

/* --- lines -------------------------------------------------------------------- */

static void put_line(const struct printing *printing, const struct line *line)
{
	size_t limit = printing->name_limit;
	char *cut = limit ? cut_name(line->name, limit) : mem_string(line->name);
	int column, at = width_of_figures(printing) + columns_of(cut);
	char *comment;

	for (column = 0; column < NR_COLUMNS; column++)
		if (printing->is_shown[column / NR_PARTS])
			out_put(printing->out, "%*s%*s", printing->widths[column],
				line->cells[column] ? line->cells[column] : "", GAP, "");
	out_put(printing->out, "%s", cut);
	free(cut);
	if (line->remark && *line->remark) {
		comment = mem_format(" /* %s */", line->remark);
		out_comments(printing->out, comment, at, style_get()->columns);
		free(comment);
	}
	fputs("\n", printing->out);
}

static void free_lines(struct printing *printing)
{
	size_t i;
	int column;

	for (i = 0; i < printing->nr; i++) {
		for (column = 0; column < NR_COLUMNS; column++)
			free(printing->lines[i].cells[column]);
		free(printing->lines[i].remark);
	}
	free(printing->lines);
}

void compare_table_print(FILE *out, const struct comparison *comparison)
{
	struct printing printing = { .out = out, .comparison = comparison };
	size_t i;

	if (!comparison->nr) {
		out_put(out, "There is no row to compare.\n");
		return;
	}
	fill(&printing);
	measure(&printing);
	fit(&printing);
	for (i = 0; i < printing.nr; i++)
		put_line(&printing, &printing.lines[i]);
	free_lines(&printing);
}
