// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "keep/compare_head.h"
#include "keep/compare_show.h"
#include "report/json_write.h"

static const char *const side_names[NR_SIDES] = { "a", "b" };

/* --- one figure --------------------------------------------------------------- */

/* A negative number beyond 2^53 is a string, as others are. */
static void add_change(struct json_object *to, const struct compare_change *change)
{
	char text[24];

	if (!change->is_less) {
		json_add_u64(to, "change", change->by);
		return;
	}
	if (change->by <= JSON_EXACT) {
		json_add(to, "change", json_object_new_int64(-(int64_t)change->by));
		return;
	}
	snprintf(text, sizeof(text), "-%llu", (unsigned long long)change->by);
	json_add_text(to, "change", text);
}

static void add_side(struct json_object *to, const struct spread *spread, int side)
{
	const char *name = side_names[side];
	char text[16];

	json_add_u64(to, name, spread->median);
	if (spread->nr < 2)
		return;
	snprintf(text, sizeof(text), "%s_min", name);
	json_add_u64(to, text, spread->min);
	snprintf(text, sizeof(text), "%s_max", name);
	json_add_u64(to, text, spread->max);
}

static void add_figure(struct json_object *to, const struct comparison *comparison,
		       const struct compare_row *row, enum compare_figure_id id)
{
	struct compare_change change = compare_change(comparison, row, id);
	struct json_object *of = json_object_new_object();
	int side;

	for (side = 0; side < NR_SIDES; side++)
		if (change.has[side])
			add_side(of, &change.of[side], side);
	if (change.is_known)
		add_change(of, &change);
	if (change.is_known && change.has_percent)
		json_add_real(of, "change_percent", "%.3f", change.percent);
	if (change.p <= 1) {
		json_add_real(of, "p", "%.9g", change.p);
		json_add(of, "is_significant", json_object_new_boolean(change_is_significant(&change)));
	}
	json_add(to, compare_figure_name(id), of);
}

/* --- rows --------------------------------------------------------------------- */

static struct json_object *marks_json(uint32_t marks)
{
	struct json_object *list = json_object_new_array();
	int mark;

	for (mark = 0; mark < NR_COMPARE_MARKS; mark++)
		if (marks >> mark & 1)
			json_object_array_add(list, json_object_new_string(compare_marks[mark]));
	return list;
}

static void add_figures(struct json_object *to, const struct comparison *comparison,
			const struct compare_row *row)
{
	int id;

	for (id = 0; id < NR_COMPARED; id++)
		if (row->has[SIDE_A][id] || row->has[SIDE_B][id])
			add_figure(to, comparison, row, id);
}

static struct json_object *row_json(const struct comparison *comparison,
				    const struct compare_row *row)
{
	struct json_object *to = json_object_new_object();
	char name[16];
	int side;

	json_add_text(to, "name", row->label);
	if (row->keys)
		json_add(to, "keys", json_object_get(row->keys));
	json_add_text(to, "in", compare_where(row));
	for (side = 0; side < NR_SIDES; side++) {
		snprintf(name, sizeof(name), "%s_runs", side_names[side]);
		json_add_u64(to, name, __builtin_popcount(row->runs[side]));
		snprintf(name, sizeof(name), "%s_marks", side_names[side]);
		if (row->marks[side])
			json_add(to, name, marks_json(row->marks[side]));
	}
	add_figures(to, comparison, row);
	return to;
}

struct json_object *compare_json(const struct comparison *comparison)
{
	struct json_object *document = compare_head_json(comparison);
	struct json_object *rows = json_object_new_array(), *all;
	size_t i;

	json_add(document, "has_paths", json_object_new_boolean(comparison->has_paths));
	for (i = 0; i < comparison->nr; i++)
		json_object_array_add(rows, row_json(comparison, comparison->rows[i]));
	json_add(document, "rows", rows);
	if (comparison->has_whole) {
		all = json_object_new_object();
		add_figures(all, comparison, &comparison->whole);
		json_add(document, "all", all);
	}
	return document;
}
