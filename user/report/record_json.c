// SPDX-License-Identifier: GPL-2.0
/* Records as JSON. Times are in ns. */
#include <stdlib.h>
#include <string.h>

#include "report/json_line.h"
#include "report/json_write.h"
#include "report/number_names.h"
#include "report/record.h"
#include "report/record_json.h"
#include "report/stack_frames.h"

/* Hexadecimal numbers are strings in JSON. */
static char *put_number(char *to, const struct value *value)
{
	return value->format == 'x' ? json_put_hex(to, value->number) :
	       value->format == 'u' ? json_put_u64(to, value->number) :
	       json_put_s64(to, value->number);
}

/* An incomplete string becomes an object, so that a reader cannot take it for a complete one. */
static char *put_value(struct json_line *line, char *to, const struct value *value)
{
	if (value->kind != KTRACE_VALUE_STRING)
		return put_number(to, value);
	if (value->state == KTRACE_STRING_NULL)
		return json_put(to, "null");
	if (value->state == KTRACE_STRING_UNREADABLE)
		return json_put(to, "{\"unreadable\":true}");
	if (value->state != KTRACE_STRING_CUT)
		return json_put_text(line, to, value->text, value->len);
	to = json_put_text(line, json_put(to, "{\"cut\":"), value->text, value->len);
	return json_put(to, "}");
}

/* The arguments of a call. */
static char *put_args(struct json_line *line, char *to, const struct record *record)
{
	struct value_place place = { 0, 0 };
	const char *before = "[";
	struct value value;

	for (; value_next(&record->event, record->formats, &place, &value); before = ",")
		to = put_value(line, json_put(to, before), &value);
	return json_put(to, *before == '[' ? "[]" : "]");
}

static char *put_list(char *to, const struct field *field, const struct record *record)
{
	const int64_t *numbers = (const void *)((const char *)record + field->offset);
	size_t i;

	for (i = 0; i < field->width / sizeof(*numbers); i++) {
		*to++ = i ? ',' : '[';
		to = json_put_s64(to, numbers[i]);
	}
	return json_put(to, "]");
}

static char *put_string(struct json_line *line, char *to, const struct value *string)
{
	if (string->state == KTRACE_STRING_WHOLE || string->state == KTRACE_STRING_CUT)
		return json_put_text(line, to, string->text, string->len);
	return json_put(to, "null");
}

#define KEY(name) ",\"" name "\":",

static inline __attribute__((always_inline)) char *
put_stages(char *to, const struct ktrace_request_record *request)
{
	static const char keys[][8] = { IO_STAGES(KEY) };
	char *begin = to;
	int stage;

	for (stage = 0; stage < KTRACE_REQUEST_STAGES; stage++) {
		if (!(request->stages & 1U << stage))
			continue;
		memcpy(to, keys[stage], sizeof(keys[stage]));
		to = json_put_u64(to + sizeof(",\"q2g\":") - 1, request->stage_ns[stage]);
	}
	to += to == begin;
	*begin = '{';	/* for the comma */
	return json_put(to, "}");
}

/* The frames of the kernel, or of the program. */
static char *put_frames(struct json_line *line, char *to, const struct stack *stack, size_t from,
			size_t nr, bool is_kernel)
{
	const char *end = stack_end(stack, is_kernel), *before = "";

	to = json_put(to, is_kernel ? "{\"kernel\":[" : ",\"user\":[");
	for (; from < nr; from++, before = ",")
		to = json_put_text(line, json_put(to, before), stack->frames[from],
				   strlen(stack->frames[from]));
	to = json_put(to, "]");
	if (!end)
		return to;
	to = json_put(to, is_kernel ? ",\"kernel_end\":" : ",\"user_end\":");
	return json_put_text(line, to, end, strlen(end));
}

static char *put_stack(struct json_line *line, char *to, const struct record *record)
{
	const struct stack *stack = record->stack;

	if (!stack || !stack->nr)
		return json_put(to, "null");
	to = put_frames(line, to, stack, record->first, stack->nr_kernel, true);
	to = put_frames(line, to, stack, stack->nr_kernel, stack->nr, false);
	return json_put(to, "}");
}

static char *put_members(struct json_line *line, char *to, struct json_object *members)
{
	char *text = json_members(members);

	to = json_put_bytes(line, json_put(to, ","), text, strlen(text));
	free(text);
	return to;
}

/* Inline in the loop over the fields, which a call for each would make a sixth dearer. */
static inline __attribute__((always_inline)) char *put_field(struct json_line *line, char *to,
							     const struct field *field,
							     const struct record *record)
{
	char name[ERRNO_NAME_LEN];
	const char *text;
	size_t len;

	/* Most fields are integers. */
	if (field->kind == FIELD_UNSIGNED || field->kind == FIELD_TIME)
		return json_put_u64(to, field_number(field, record));
	switch (field->kind) {
	case FIELD_SIGNED:
		return json_put_s64(to, field_number(field, record));
	case FIELD_LIST:
		return put_list(to, field, record);
	case FIELD_CHARS:
	case FIELD_TEXT:
	case FIELD_NAME:
	case FIELD_FUNCTION:
		text = field_text(field, record, &len);
		return json_put_text(line, to, text, len);
	case FIELD_ERRNO:
		text = errno_text(name, field_number(field, record));
		return json_put_text(line, to, text, strlen(text));
	case FIELD_DEV:
		to = json_put_dev(json_put(to, "\""), field_number(field, record));
		return json_put(to, "\"");
	case FIELD_FLAG:
		return json_put(to, "true");
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
	case FIELD_MEMBERS:
		return put_members(line, to, record->members);
	}
	return to;
}

char *record_put_json(struct json_line *line, char *to, const struct field *field,
		      const struct record *record)
{
	return put_field(line, to, field, record);
}

char *record_end_json(struct json_line *line, char *to, const struct record *record)
{
	const struct field *field = record->kind->fields, *last = field + record->kind->nr;

	for (; field < last; field++) {
		if (!field_is_there(field, record))
			continue;
		memcpy(to, field->json, sizeof(field->json));
		to = put_field(line, to + field->json_len, field, record);
	}
	*to = '}';
	return to + 1;
}

void record_print_json(FILE *out, const struct record *record)
{
	char text[2 * JSON_LINE_SLACK];
	struct json_line line = { .begin = text, .limit = text + JSON_LINE_SLACK, .out = out };
	char *to = record_end_json(&line, record_begin_json(text, record), record);

	json_line_flush(&line, json_put(to, "\n"));
}
