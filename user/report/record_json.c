// SPDX-License-Identifier: GPL-2.0
/* Records as JSON. Times are in ns. */
#include <string.h>

#include "report/json_line.h"
#include "report/number_names.h"
#include "report/record.h"
#include "report/stack_frames.h"

/* Hexadecimal numbers are strings in JSON. */
static void put_number(struct json_line *line, const struct value *value)
{
	if (value->format == 'x')
		json_line_hex(line, value->number);
	else if (value->format == 'u')
		json_line_u64(line, value->number);
	else
		json_line_s64(line, value->number);
}

/* An incomplete string becomes an object, so that a reader cannot take it for a complete one. */
static void put_value(struct json_line *line, const struct value *value)
{
	if (value->kind != KTRACE_VALUE_STRING) {
		put_number(line, value);
	} else if (value->state == KTRACE_STRING_NULL) {
		json_line_puts(line, "null");
	} else if (value->state == KTRACE_STRING_UNREADABLE) {
		json_line_puts(line, "{\"unreadable\":true}");
	} else {
		json_line_puts(line, value->state == KTRACE_STRING_CUT ? "{\"cut\":" : "");
		json_line_text(line, value->text, value->len);
		json_line_puts(line, value->state == KTRACE_STRING_CUT ? "}" : "");
	}
}

/* The arguments of a call, or its result. */
static void put_values(struct json_line *line, const struct record *record, bool is_list)
{
	struct value_place place = { 0, 0 };
	struct value value;
	size_t nr = 0;

	json_line_puts(line, is_list ? "[" : "");
	for (; (is_list || !nr) && value_next(&record->event, record->formats, &place, &value); nr++) {
		json_line_puts(line, nr ? "," : "");
		put_value(line, &value);
	}
	json_line_puts(line, is_list ? "]" : "");
}

static void put_list(struct json_line *line, const struct field *field,
		     const struct record *record)
{
	const int64_t *numbers = (const void *)((const char *)record + field->offset);
	size_t i;

	for (i = 0; i < field->width / sizeof(*numbers); i++) {
		json_line_put(line, i ? "," : "[", 1);
		json_line_s64(line, numbers[i]);
	}
	json_line_puts(line, "]");
}

static void put_dev(struct json_line *line, uint32_t dev)
{
	json_line_puts(line, "\"");
	json_line_digits(line, dev >> 20);
	json_line_puts(line, ":");
	json_line_digits(line, dev & 0xfffff);
	json_line_puts(line, "\"");
}

static void put_string(struct json_line *line, const struct value *string)
{
	if (string->state == KTRACE_STRING_WHOLE || string->state == KTRACE_STRING_CUT)
		json_line_text(line, string->text, string->len);
	else
		json_line_puts(line, "null");
}

static void put_stages(struct json_line *line, const struct ktrace_request_record *request)
{
	const char *before = "{\"";
	int stage;

	for (stage = 0; stage < KTRACE_REQUEST_STAGES; stage++) {
		if (!(request->stages & 1U << stage))
			continue;
		json_line_puts(line, before);
		json_line_puts(line, io_stage_name(stage));
		json_line_puts(line, "\":");
		json_line_u64(line, request->stage_ns[stage]);
		before = ",\"";
	}
	json_line_puts(line, before[0] == '{' ? "{}" : "}");
}

/* The frames of the kernel, or of the program. */
static void put_frames(struct json_line *line, const struct stack *stack, size_t from, size_t to,
		       bool is_kernel)
{
	const char *end = stack_end(stack, is_kernel), *before = "";

	json_line_puts(line, is_kernel ? "{\"kernel\":[" : ",\"user\":[");
	for (; from < to; from++, before = ",") {
		json_line_puts(line, before);
		json_line_text(line, stack->frames[from], strlen(stack->frames[from]));
	}
	json_line_puts(line, "]");
	if (!end)
		return;
	json_line_puts(line, is_kernel ? ",\"kernel_end\":" : ",\"user_end\":");
	json_line_text(line, end, strlen(end));
}

static void put_stack(struct json_line *line, const struct record *record)
{
	const struct stack *stack = record->stack;

	if (!stack || !stack->nr) {
		json_line_puts(line, "null");
		return;
	}
	put_frames(line, stack, record->first, stack->nr_kernel, true);
	put_frames(line, stack, stack->nr_kernel, stack->nr, false);
	json_line_puts(line, "}");
}

static void put_field(struct json_line *line, const struct field *field,
		      const struct record *record)
{
	char name[ERRNO_NAME_LEN];
	const char *text;
	size_t len;

	switch (field->kind) {
	case FIELD_UNSIGNED:
	case FIELD_TIME:
		json_line_u64(line, field_number(field, record));
		break;
	case FIELD_SIGNED:
		json_line_s64(line, field_number(field, record));
		break;
	case FIELD_LIST:
		put_list(line, field, record);
		break;
	case FIELD_CHARS:
	case FIELD_TEXT:
	case FIELD_FUNCTION:
		text = field_text(field, record, &len);
		json_line_text(line, text, len);
		break;
	case FIELD_ERRNO:
		text = errno_text(name, field_number(field, record));
		json_line_text(line, text, strlen(text));
		break;
	case FIELD_DEV:
		put_dev(line, field_number(field, record));
		break;
	case FIELD_FLAG:
		json_line_puts(line, "true");
		break;
	case FIELD_ARGS:
	case FIELD_RESULT:
		put_values(line, record, field->kind == FIELD_ARGS);
		break;
	case FIELD_STRING:
		put_string(line, &record->string);
		break;
	case FIELD_STAGES:
		put_stages(line, &record->request);
		break;
	case FIELD_STACK:
		put_stack(line, record);
		break;
	}
}

void record_print_json(FILE *out, const struct record *record)
{
	const struct field *field = record->kind->fields, *end = field + record->kind->nr;
	struct json_line line;

	line.out = out;
	line.len = 0;
	json_line_puts(&line, "{\"schema\":\"" RECORD_SCHEMA "\",\"event\":\"");
	json_line_puts(&line, record->kind->name);
	json_line_puts(&line, "\"");
	for (; field < end; field++) {
		/* The bits of flags are members of their own. */
		if (field->kind == FIELD_FLAGS ||
		    (field->is_optional && !field_is_there(field, record)))
			continue;
		memcpy(json_line_room(&line, sizeof(field->json)), field->json, sizeof(field->json));
		line.len += field->json_len;
		put_field(&line, field, record);
	}
	json_line_puts(&line, "}\n");
	json_line_flush(&line, NULL, 0);
}
