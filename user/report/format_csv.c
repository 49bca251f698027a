// SPDX-License-Identifier: GPL-2.0
/*
 * Rows for spreadsheets and databases, as in RFC 4180, with line feeds: a line of names, then one
 * line per row. The columns are the members of a row in JSON, each with or without a value.
 */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report/csv_text.h"
#include "report/format.h"
#include "report/head.h"
#include "report/layout.h"
#include "uapi/ktrace.h"
#include "util/mem.h"

struct csv {
	FILE *out;
	const struct table *table;
	const struct row *row;	/* NULL: the line of names */
	bool has_window;
	const char *before;	/* the next cell */
};

/* --- cells -------------------------------------------------------------------- */

static void put_text(struct csv *csv, const char *text)
{
	out_put(csv->out, "%s", csv->before);
	csv_text_put(csv->out, text);
	csv->before = ",";
}

static void put_number(struct csv *csv, uint64_t number)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)number);
	put_text(csv, text);
}

/* Puts the name of a member. The members of an inner object begin with its name. */
static void put_name(struct csv *csv, const struct column *member)
{
	char *name = mem_format("%s%s", member->in ? member->in : "",
				column_member(member, csv->table->kind)), *dot;

	while ((dot = strchr(name, '.')))
		*dot = '_';
	put_text(csv, name);
	free(name);
}

static void put_key(struct csv *csv, const struct column *member)
{
	const struct row_key *key = &csv->row->keys[member->key];

	if (key->text && !member->is_number)
		put_text(csv, key->text);
	else
		put_number(csv, key->number);
}

/* Puts the members that a key consists of. */
static void put_members(struct csv *csv, const struct column *member)
{
	const struct key_kind *key = &csv->table->kind->keys[member->key];
	struct json_object *all = json_object_new_object(), *value;
	const char *const *name = key->members, *const *end = name + 3;

	if (csv->row && member_is_there(member, csv->row))
		key->add(all, &csv->row->keys[member->key]);
	for (; name < end && *name; name++)
		put_text(csv, !csv->row ? *name : json_object_object_get_ex(all, *name, &value) ?
			 json_object_get_string(value) : "");
	json_object_put(all);
}

static void put_figure(struct csv *csv, const struct column *member)
{
	uint64_t number = row_figure(csv->row, member->figure, member->parts);

	switch (figure_kinds[member->figure].format) {
	case FORMAT_ERROR:
		put_text(csv, strerror(number));
		break;
	case FORMAT_TRUE:
		put_text(csv, "true");
		break;
	default:
		put_number(csv, number);
	}
}

static void put_member(void *arg, const struct column *member)
{
	struct csv *csv = arg;

	if (member->figure == FIG_HIST)
		return;
	if (!member->figure && csv->table->kind->keys[member->key].add)
		put_members(csv, member);
	else if (!csv->row)
		put_name(csv, member);
	else if (!member_is_there(member, csv->row))
		put_text(csv, "");
	else if (member->figure)
		put_figure(csv, member);
	else
		put_key(csv, member);
}

/* --- lines -------------------------------------------------------------------- */

static void put_window(struct csv *csv)
{
	uint64_t end, begin = head_begin(&end);

	if (csv->row) {
		put_number(csv, begin);
		put_number(csv, end);
	} else {
		put_text(csv, "from_realtime_ns");
		put_text(csv, "to_realtime_ns");
	}
}

static void put_line(struct csv *csv, const struct row *row)
{
	csv->row = row;
	csv->before = "";
	if (csv->has_window)
		put_window(csv);
	layout_each_member(csv->table, csv->table->kind->json, put_member, csv);
	out_put(csv->out, "\n");
}

static void print_rows(FILE *out, const struct table *table, bool is_one_of_many, bool is_first)
{
	struct csv csv = { .out = out, .table = table, .has_window = is_one_of_many };
	const struct row *row;

	if (is_first)
		put_line(&csv, NULL);
	for (row = table->rows; row < table->rows + table->nr; row++)
		if (row_is_shown(table, table->kind->json, row))
			put_line(&csv, row);
}

const struct output_format format_csv = {
	.name = "csv",
	.kinds = FORMATS_OF_RECORDINGS "|" FORMATS_OF_CALLS "|" FORMATS_OF_FIGURES "|"
		 FORMATS_OF_STACKS "|" FORMATS_OF_SAMPLES,
	.is_data = true,
	.rows = print_rows,
	.sinks = KTRACE_SINK_HIST,
	.has_functions = true,
};
