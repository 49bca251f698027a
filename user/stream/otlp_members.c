// SPDX-License-Identifier: GPL-2.0
/* Objects of json-c as attributes. */
#include <stdlib.h>
#include <string.h>

#include <json-c/json.h>

#include "stream/otlp_members.h"
#include "util/mem.h"

#define MOST_LEVELS 16	/* of objects and arrays in each other; what is deeper becomes a text */

static void put_value(struct protobuf *to, struct json_object *value, int level);

static void put_object(struct protobuf *to, struct json_object *object, int level)
{
	size_t list = protobuf_begin(to, OTLP_LIST);
	struct otlp_attribute at;

	json_object_object_foreach(object, name, value) {
		at = otlp_begin(to, &(struct otlp_key){ OTLP_VALUES, name, strlen(name) });
		put_value(to, value, level);
		otlp_end(to, at);
	}
	protobuf_end(to, list);
}

static void put_array(struct protobuf *to, struct json_object *array, int level)
{
	size_t begin = protobuf_begin(to, OTLP_ARRAY), element, i;

	for (i = 0; i < (size_t)json_object_array_length(array); i++) {
		element = protobuf_begin(to, OTLP_VALUES);
		put_value(to, json_object_array_get_idx(array, i), level);
		protobuf_end(to, element);
	}
	protobuf_end(to, begin);
}

static void put_text(struct protobuf *to, struct json_object *value)
{
	const char *text = json_object_get_string(value);

	otlp_put_utf8(to, OTLP_STRING, text, strlen(text));
}

/* Puts a field of AnyValue, or none for null. */
static void put_value(struct protobuf *to, struct json_object *value, int level)
{
	if (level == MOST_LEVELS)
		return put_text(to, value);
	switch (json_object_get_type(value)) {
	case json_type_null:
		return;
	case json_type_boolean:
		return protobuf_put_number(to, OTLP_BOOL, json_object_get_boolean(value));
	case json_type_int:
		return protobuf_put_number(to, OTLP_INT, json_object_get_int64(value));
	case json_type_double:
		return protobuf_put_double(to, OTLP_DOUBLE, json_object_get_double(value));
	case json_type_object:
		return put_object(to, value, level + 1);
	case json_type_array:
		return put_array(to, value, level + 1);
	case json_type_string:
		put_text(to, value);
	}
}

void otlp_members_put(struct protobuf *to, const struct otlp_key *key, struct json_object *members)
{
	struct otlp_attribute at;
	char *text;

	json_object_object_foreach(members, name, value) {
		text = mem_format("%.*s%s", (int)key->len, key->text, name);
		at = otlp_begin(to, &(struct otlp_key){ key->field, text, strlen(text) });
		put_value(to, value, 0);
		otlp_end(to, at);
		free(text);
	}
}
