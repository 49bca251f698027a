// SPDX-License-Identifier: GPL-2.0
/* Records as MessagePack: the loop of record_json.c with another way to write values. */
#include <string.h>

#include <json-c/json.h>

#include "report/json_line.h"
#include "report/number_names.h"
#include "report/record.h"
#include "report/stack_frames.h"
#include "report/text_copy.h"
#include "stream/msgpack.h"
#include "stream/record_msgpack.h"
#include "util/plain.h"

#define UNKNOWN "\xef\xbf\xbd"	/* U+FFFD */

/* --- text ----------------------------------------------------------------- */

/* Returns the length of the first character, and where it is: bytes that are none become U+FFFD. */
static size_t character(const char **at, const char *end, const char **shown)
{
	size_t len = plain_utf8_len((const unsigned char *)*at, end - *at);

	*shown = len ? *at : UNKNOWN;
	*at += len ? len : 1;
	return len ? len : sizeof(UNKNOWN) - 1;
}

static char *put_utf8(struct json_line *line, char *to, const char *text, size_t len)
{
	const char *at, *end = text + len, *shown;
	size_t all = 0, of_one;

	for (at = text; at < end;)
		all += character(&at, end, &shown);
	to = msgpack_put_text_head(to, all);
	for (at = text; at < end;) {
		of_one = character(&at, end, &shown);
		to = json_put_bytes(line, to, shown, of_one);
	}
	return to;
}

/* Marks bytes that are not ASCII. */
static inline text_bytes marks_of(text_bytes bytes)
{
	return bytes;
}

/* Puts a text that has other characters, or is long. */
static __attribute__((noinline)) char *put_any(struct json_line *line, char *to, const char *text,
					       size_t len)
{
	if (!json_has_room(line, to, len))
		to = json_line_flush(line, to);
	return put_utf8(line, to, text, len);
}

static char *put_text(struct json_line *line, char *to, const char *text, size_t len)
{
	char *begin = msgpack_put_text_head(to, len);

	if (!json_has_room(line, to, len) || !text_copy(begin, text, len, marks_of))
		return put_any(line, to, text, len);
	return begin + len;
}

/* Puts a key, and behind it a text. Inline, so that the length of the key is a constant. */
static inline __attribute__((always_inline)) char *
put_member(struct json_line *line, char *to, const char *key, const char *text)
{
	return put_text(line, msgpack_put_word(to, key), text, strlen(text));
}

/* --- values --------------------------------------------------------------- */

/* An incomplete string becomes a map, so that a reader cannot take it for a complete one. */
static char *put_value(struct json_line *line, char *to, const struct value *value)
{
	if (value->kind != KTRACE_VALUE_STRING)
		return value->format == 'x' || value->format == 'u' ?
		       msgpack_put_u64(to, value->number) : msgpack_put_s64(to, value->number);
	if (value->state == KTRACE_STRING_NULL)
		return msgpack_put_null(to);
	if (value->state == KTRACE_STRING_UNREADABLE)
		return msgpack_put_bool(msgpack_put_word(msgpack_put_map_head(to, 1), "unreadable"), true);
	if (value->state == KTRACE_STRING_CUT)
		to = msgpack_put_word(msgpack_put_map_head(to, 1), "cut");
	return put_text(line, to, value->text, value->len);
}

static char *put_args(struct json_line *line, char *to, const struct record *record)
{
	struct value_place place = { 0, 0 };
	struct value value;
	uint32_t nr = 0;

	while (value_next(&record->event, record->formats, &place, &value))
		nr++;
	to = msgpack_put_array_head(to, nr);
	place = (struct value_place){ 0, 0 };
	while (value_next(&record->event, record->formats, &place, &value))
		to = put_value(line, to, &value);
	return to;
}

static char *put_list(char *to, const struct field *field, const struct record *record)
{
	const int64_t *numbers = (const void *)((const char *)record + field->offset);
	size_t nr = field->width / sizeof(*numbers), i;

	to = msgpack_put_array_head(to, nr);
	for (i = 0; i < nr; i++)
		to = msgpack_put_s64(to, numbers[i]);
	return to;
}

/* Puts "MAJOR:MINOR". */
static char *put_dev(char *to, uint32_t dev)
{
	char *head = to;

	to = json_put_dev(to + 1, dev);
	msgpack_put_text_head(head, to - head - 1);
	return to;
}

static char *put_string(struct json_line *line, char *to, const struct value *string)
{
	if (string->state == KTRACE_STRING_WHOLE || string->state == KTRACE_STRING_CUT)
		return put_text(line, to, string->text, string->len);
	return msgpack_put_null(to);
}

#define KEY(name) "\xa3" name,	/* a text of three bytes */

static char *put_stages(char *to, const struct ktrace_request_record *request)
{
	static const char keys[][5] = { IO_STAGES(KEY) };
	char *head = to++;
	int stage, nr = 0;

	for (stage = 0; stage < KTRACE_REQUEST_STAGES; stage++) {
		if (!(request->stages & 1U << stage))
			continue;
		memcpy(to, keys[stage], sizeof(keys[stage]) - 1);
		to = msgpack_put_u64(to + sizeof(keys[stage]) - 1, request->stage_ns[stage]);
		nr++;
	}
	*head = MSGPACK_SHORT_MAP | nr;
	return to;
}

static char *put_frames(struct json_line *line, char *to, const struct stack *stack, size_t from,
			size_t nr, bool is_kernel)
{
	const char *end = stack_end(stack, is_kernel);

	to = msgpack_put_word(to, is_kernel ? "kernel" : "user");
	to = msgpack_put_array_head(to, nr > from ? nr - from : 0);
	for (; from < nr; from++)
		to = put_text(line, to, stack->frames[from], strlen(stack->frames[from]));
	if (!end)
		return to;
	return put_member(line, to, is_kernel ? "kernel_end" : "user_end", end);
}

static char *put_stack(struct json_line *line, char *to, const struct record *record)
{
	const struct stack *stack = record->stack;

	if (!stack || !stack->nr)
		return msgpack_put_null(to);
	to = msgpack_put_map_head(to, 2 + !!stack_end(stack, true) + !!stack_end(stack, false));
	to = put_frames(line, to, stack, record->first, stack->nr_kernel, true);
	return put_frames(line, to, stack, stack->nr_kernel, stack->nr, false);
}

static char *put_json(struct json_line *line, char *to, struct json_object *value);

static char *put_members(struct json_line *line, char *to, struct json_object *members)
{
	json_object_object_foreach(members, key, value) {
		to = put_text(line, to, key, strlen(key));
		to = put_json(line, to, value);
	}
	return to;
}

static char *put_elements(struct json_line *line, char *to, struct json_object *array)
{
	size_t nr = json_object_array_length(array), i;

	to = msgpack_put_array_head(to, nr);
	for (i = 0; i < nr; i++)
		to = put_json(line, to, json_object_array_get_idx(array, i));
	return to;
}

/* Puts a value in a row of a table: its depth is that of the table's description. */
static char *put_json(struct json_line *line, char *to, struct json_object *value)
{
	const char *text;

	to = json_put_bytes(line, to, "", 0);	/* makes room */
	switch (json_object_get_type(value)) {
	case json_type_boolean:
		return msgpack_put_bool(to, json_object_get_boolean(value));
	case json_type_int:
		return msgpack_put_s64(to, json_object_get_int64(value));
	case json_type_double:
		return msgpack_put_double(to, json_object_get_double(value));
	case json_type_string:
		text = json_object_get_string(value);
		return put_text(line, to, text, strlen(text));
	case json_type_array:
		return put_elements(line, to, value);
	case json_type_object:
		to = msgpack_put_map_head(to, json_object_object_length(value));
		return put_members(line, to, value);
	default:
		return msgpack_put_null(to);
	}
}

static char *put_field(struct json_line *line, char *to, const struct field *field,
		       const struct record *record)
{
	char name[ERRNO_NAME_LEN];
	const char *text;
	size_t len;

	/* Most fields are integers. */
	if (field->kind == FIELD_UNSIGNED || field->kind == FIELD_TIME)
		return msgpack_put_u64(to, field_number(field, record));
	switch (field->kind) {
	case FIELD_SIGNED:
		return msgpack_put_s64(to, field_number(field, record));
	case FIELD_LIST:
		return put_list(to, field, record);
	case FIELD_CHARS:
	case FIELD_TEXT:
	case FIELD_NAME:
	case FIELD_FUNCTION:
		text = field_text(field, record, &len);
		return put_text(line, to, text, len);
	case FIELD_ERRNO:
		text = errno_text(name, field_number(field, record));
		return put_text(line, to, text, strlen(text));
	case FIELD_DEV:
		return put_dev(to, field_number(field, record));
	case FIELD_FLAG:
		return msgpack_put_bool(to, true);
	case FIELD_ARGS:
		return put_args(line, to, record);
	case FIELD_RESULT:
		return put_value(line, to, &record->value);
	case FIELD_STRING:
		return put_string(line, to, &record->value);
	case FIELD_STAGES:
		return put_stages(to, &record->request);
	case FIELD_STACK:
		return put_stack(line, to, record);
	}
	return msgpack_put_null(to);
}

/* --- entries -------------------------------------------------------------- */

/* Puts a field's name as a key: it stands in the JSON between a comma and a colon, in quotes. */
static inline char *put_key(char *to, const struct field *field)
{
	*to = MSGPACK_SHORT_TEXT | (field->json_len - (sizeof(",\"\":") - 1));
	memcpy(to + 1, field->json + 2, sizeof(field->json) - 2);
	return to + field->json_len - 3;
}

/* Returns a bit for each field that is absent, and subtracts their number from *nr. */
static inline uint32_t fields_absent(const struct record *record, uint32_t *nr)
{
	const struct field *field = record->kind->fields, *end = field + record->kind->nr;
	uint32_t absent = 0, bit;

	for (bit = 1; field < end; field++, bit <<= 1) {
		if (field_is_there(field, record))
			continue;
		absent |= bit;
		*nr -= 1;
	}
	return absent;
}

#define NR_FIXED 5	/* the members that put_identity() always puts */

static char *put_identity(struct json_line *line, char *to, const struct record *record,
			  const struct identity *identity)
{
	to = msgpack_put_word(msgpack_put_word(to, "schema"), RECORD_SCHEMA);
	to = msgpack_put_text_head(msgpack_put_word(to, "event"), record->kind->name_len);
	to = record_kind_put_name(to, record->kind);
	if (identity->id_len) {
		to = msgpack_put_text_head(msgpack_put_word(to, "id"), identity->id_len);
		to = identity_put_id(to, identity);
	}
	to = put_text(line, msgpack_put_word(to, "session"), identity->session, identity->session_len);
	to = put_text(line, msgpack_put_word(to, "host"), identity->host, identity->host_len);
	return put_member(line, to, "boot", identity->boot);
}

char *record_put_msgpack(struct json_line *line, const struct record *record,
			 const struct identity *identity)
{
	const struct field *field = record->kind->fields, *end = field + record->kind->nr;
	uint32_t nr = NR_FIXED + !!identity->id_len + record->kind->nr;
	uint32_t absent = fields_absent(record, &nr);
	char *to = msgpack_put_array_head(line->begin, 2);

	if (record->members)
		nr += json_object_object_length(record->members) - 1;
	to = msgpack_put_map_head(msgpack_put_time(to, identity->realtime), nr);
	to = put_identity(line, to, record, identity);
	for (; field < end; field++, absent >>= 1) {
		if (absent & 1)
			continue;
		if (field->kind == FIELD_MEMBERS)
			to = put_members(line, to, record->members);
		else
			to = put_field(line, put_key(to, field), field, record);
	}
	return to;
}
