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
		json_add_u64(bucket, "from_ns", ktr_bucket_low(hist->buckets[i].index));
		json_add_u64(bucket, "below_ns", ktr_bucket_high(hist->buckets[i].index));
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

static void add_key(struct json_object *to, const char *name, const struct row_key *key,
		    bool is_number)
{
	if (key->text && !is_number)
		json_add_text(to, name, key->text);
	else
		json_add_u64(to, name, key->number);
}

static void add_figure(struct json_object *to, const char *name, const struct row *row,
		       const struct column *column)
{
	uint64_t number = row_figure(row, column->figure, column->parts);

	switch (figure_kinds[column->figure].format) {
	case FORMAT_ERROR:
		json_add_text(to, name, strerror(number));
		break;
	case FORMAT_TRUE:
		json_add(to, name, json_object_new_boolean(1));
		break;
	case FORMAT_HIST:
		json_add(to, name, buckets_of(&row->parts[part_first(column->parts)].hist));
		break;
	default:
		json_add_u64(to, name, number);
	}
}

static void add_member(struct json_object *to, const struct table *table, const struct row *row,
		       const struct column *column)
{
	const struct key_kind *key = &table->kind->keys[column->key];
	const char *name;

	if (column->in)
		object_of(&to, column->in);
	name = object_of(&to, column_member(column, table->kind));
	if (column->figure)
		add_figure(to, name, row, column);
	else if (key->add)
		key->add(to, &row->keys[column->key]);
	else
		add_key(to, name, &row->keys[column->key], column->is_number);
}

struct adding {
	struct json_object *to;
	const struct table *table;
	const struct row *row;
};

static void add_if_there(void *arg, const struct column *member)
{
	const struct adding *adding = arg;

	if (member_is_there(member, adding->row))
		add_member(adding->to, adding->table, adding->row, member);
}

void table_add_members(struct json_object *to, const struct table *table, const struct row *row,
		       const struct layout *layout)
{
	struct adding adding = { to, table, row };

	layout_each_member(table, layout, add_if_there, &adding);
}

static struct json_object *table_json(const struct table *table)
{
	const struct layout *layout = table->kind->json;
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

void json_add_table(struct json_object *to, const char *name, const struct table *table)
{
	const struct layout *total = table->kind->json_total;
	struct json_object *all;

	json_add(to, name, table_json(table));
	if (!total)
		return;
	all = json_object_new_object();
	table_add_members(all, table, &table->total, total);
	json_add(to, "all", all);
}
