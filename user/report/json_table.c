// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "report/json_write.h"
#include "report/layout.h"
#include "util/mem.h"

static struct json_object *buckets_of(const struct hist *hist)
{
	struct json_object *list = json_object_new_array(), *bucket;
	size_t i;

	for (i = 0; i < hist->nr; i++) {
		bucket = json_object_new_object();
		json_add_u64(bucket, "from_ns", hist_low(hist->buckets[i].index));
		json_add_u64(bucket, "below_ns", hist_high(hist->buckets[i].index));
		json_add_u64(bucket, "count", hist->buckets[i].count);
		json_object_array_add(list, bucket);
	}
	return list;
}

/*
 * Moves *to to the inner object that a member with a dotted name belongs to. Returns the part of
 * the name after the last dot.
 */
static const char *object_of(struct json_object **to, const char *name)
{
	struct json_object *inner;
	const char *dot;
	char *outer;

	for (; (dot = strchr(name, '.')); name = dot + 1) {
		outer = mem_format("%.*s", (int)(dot - name), name);
		if (!json_object_object_get_ex(*to, outer, &inner)) {
			inner = json_object_new_object();
			json_add(*to, outer, inner);
		}
		free(outer);
		*to = inner;
	}
	return name;
}

static void add_member(struct json_object *to, const struct row *row, const struct column *column)
{
	const struct row_key *key = &row->keys[column->key];
	const char *name = object_of(&to, column->title);

	if (column->add)
		column->add(to, key);
	else if (key->text && column->format == FORMAT_KEY)
		json_add_text(to, name, key->text);
	else if (column->format == FORMAT_KEY || column->format == FORMAT_KEY_NUMBER)
		json_add_u64(to, name, key->number);
	else if (column->format == FORMAT_ERROR)
		json_add_text(to, name, strerror(row_figure(row, column->figure, column->parts)));
	else if (column->format == FORMAT_TRUE)
		json_add(to, name, json_object_new_boolean(1));
	else if (column->format == FORMAT_HIST)
		json_add(to, name, buckets_of(&row->parts[part_first(column->parts)].hist));
	else
		json_add_u64(to, name, row_figure(row, column->figure, column->parts));
}

void table_add_members(struct json_object *to, const struct table *table, const struct row *row,
		       const struct layout *layout)
{
	const struct column *column;

	for (column = layout->columns; column < layout->columns + layout->nr; column++)
		if (column_is_on(column, table) && column_is_there(column, row) &&
		    (column->format != FORMAT_HIST || table->has_hists))
			add_member(to, row, column);
}

struct json_object *table_json(const struct table *table, const struct layout *layout)
{
	struct json_object *list = json_object_new_array(), *to;
	const struct row *row;

	for (row = table->rows; row < table->rows + table->nr; row++) {
		if (!row_is_shown(table, layout, row))
			continue;
		to = json_object_new_object();
		table_add_members(to, table, row, layout);
		json_object_array_add(list, to);
	}
	return list;
}
