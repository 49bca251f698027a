// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "report/json_line.h"
#include "report/number_names.h"
#include "report/stack_frames.h"
#include "stream/otlp.h"
#include "stream/otlp_members.h"
#include "stream/otlp_record.h"

/* Numbers of fields, by message. */
enum { LOG_TIME = 1, LOG_SEVERITY = 2, LOG_BODY = 5, LOG_ATTRIBUTES = 6, LOG_OBSERVED = 11,
       LOG_EVENT = 12 };
enum { SPAN_TRACE = 1, SPAN_ID = 2, SPAN_NAME = 5, SPAN_KIND = 6, SPAN_START = 7, SPAN_END = 8,
       SPAN_ATTRIBUTES = 9, SPAN_STATUS = 15 };
enum { STATUS_MESSAGE = 2, STATUS_CODE = 3 };

#define SEVERITY_INFO 9
#define SEVERITY_WARN 13
#define KIND_INTERNAL 1
#define CODE_ERROR 2

/* --- values ---------------------------------------------------------------------------- */

/* Puts a text as an element of an array. */
static void put_element(struct protobuf *to, const char *text)
{
	size_t element = protobuf_begin(to, OTLP_VALUES);

	otlp_put_utf8(to, OTLP_STRING, text, strlen(text));
	protobuf_end(to, element);
}

/* Hexadecimal numbers are texts, as in JSON. OTLP has no numbers above INT64_MAX: texts, too. */
static bool is_plain_number(const struct value *value)
{
	return value->kind != KTRACE_VALUE_STRING && value->format != 'x' &&
	       (value->format != 'u' || value->number <= INT64_MAX);
}

static void put_number(struct protobuf *to, const struct value *value)
{
	char text[24];

	if (is_plain_number(value))
		return protobuf_put_number(to, OTLP_INT, value->number);
	snprintf(text, sizeof(text), value->format == 'x' ? "0x%llx" : "%llu",
		 (unsigned long long)value->number);
	protobuf_put_text(to, OTLP_STRING, text);
}

/* An incomplete string becomes a list, so that a reader cannot take it for a complete one. */
static void put_incomplete(struct protobuf *to, const struct value *value)
{
	size_t list = protobuf_begin(to, OTLP_LIST);

	if (value->state == KTRACE_STRING_CUT)
		otlp_put_text(to, OTLP_KEY_OF(OTLP_VALUES, "cut"), value->text, value->len);
	else
		otlp_put_bool(to, OTLP_KEY_OF(OTLP_VALUES, "unreadable"), true);
	protobuf_end(to, list);
}

/* An AnyValue without a field is null. */
static void put_value(struct protobuf *to, const struct value *value)
{
	if (value->kind != KTRACE_VALUE_STRING)
		put_number(to, value);
	else if (value->state == KTRACE_STRING_CUT || value->state == KTRACE_STRING_UNREADABLE)
		put_incomplete(to, value);
	else if (value->state != KTRACE_STRING_NULL)
		otlp_put_utf8(to, OTLP_STRING, value->text, value->len);
}

static void put_args(struct protobuf *to, const struct record *record)
{
	size_t array = protobuf_begin(to, OTLP_ARRAY), element;
	struct value_place place = { 0, 0 };
	struct value value;

	while (value_next(&record->event, record->formats, &place, &value)) {
		element = protobuf_begin(to, OTLP_VALUES);
		put_value(to, &value);
		protobuf_end(to, element);
	}
	protobuf_end(to, array);
}

static void put_list(struct protobuf *to, const struct field *field, const struct record *record)
{
	const int64_t *numbers = (const void *)((const char *)record + field->offset);
	size_t array = protobuf_begin(to, OTLP_ARRAY), element, i;

	for (i = 0; i < field->width / sizeof(*numbers); i++) {
		element = protobuf_begin(to, OTLP_VALUES);
		protobuf_put_number(to, OTLP_INT, numbers[i]);
		protobuf_end(to, element);
	}
	protobuf_end(to, array);
}

static void put_string(struct protobuf *to, const struct value *string)
{
	if (string->state == KTRACE_STRING_WHOLE || string->state == KTRACE_STRING_CUT)
		otlp_put_utf8(to, OTLP_STRING, string->text, string->len);
}

#define STAGE(name) { OTLP_VALUES, name, sizeof(name) - 1 },

static void put_stages(struct protobuf *to, const struct ktrace_request_record *request)
{
	static const struct otlp_key keys[] = { IO_STAGES(STAGE) };
	size_t list = protobuf_begin(to, OTLP_LIST);
	int stage;

	for (stage = 0; stage < KTRACE_REQUEST_STAGES; stage++)
		if (request->stages & 1U << stage)
			otlp_put_unsigned(to, &keys[stage], request->stage_ns[stage]);
	protobuf_end(to, list);
}

static void put_frames(struct protobuf *to, const struct otlp_key *key, const struct stack *stack,
		       size_t from, size_t nr)
{
	struct otlp_attribute at = otlp_begin(to, key);
	size_t array = protobuf_begin(to, OTLP_ARRAY);

	for (; from < nr; from++)
		put_element(to, stack->frames[from]);
	protobuf_end(to, array);
	otlp_end(to, at);
}

static void put_stack(struct protobuf *to, const struct record *record)
{
	const struct stack *stack = record->stack;
	const char *kernel_end, *user_end;
	size_t list;

	if (!stack || !stack->nr)
		return;
	kernel_end = stack_end(stack, true);
	user_end = stack_end(stack, false);
	list = protobuf_begin(to, OTLP_LIST);
	put_frames(to, OTLP_KEY_OF(OTLP_VALUES, "kernel"), stack, record->first, stack->nr_kernel);
	if (kernel_end)
		otlp_put_text(to, OTLP_KEY_OF(OTLP_VALUES, "kernel_end"), kernel_end,
			      strlen(kernel_end));
	put_frames(to, OTLP_KEY_OF(OTLP_VALUES, "user"), stack, stack->nr_kernel, stack->nr);
	if (user_end)
		otlp_put_text(to, OTLP_KEY_OF(OTLP_VALUES, "user_end"), user_end, strlen(user_end));
	protobuf_end(to, list);
}

/* --- attributes ------------------------------------------------------------------------ */

static void put_dev(struct protobuf *to, const struct otlp_key *key, uint32_t dev)
{
	char text[32];

	otlp_put_text(to, key, text, json_put_dev(text, dev) - text);
}

/* A field whose value is more than a number or a text. */
static void put_inner(struct protobuf *to, const struct otlp_key *key, const struct field *field,
		      const struct record *record)
{
	struct otlp_attribute at = otlp_begin(to, key);

	if (field->kind == FIELD_LIST)
		put_list(to, field, record);
	else if (field->kind == FIELD_ARGS)
		put_args(to, record);
	else if (field->kind == FIELD_RESULT)
		put_value(to, &record->value);
	else if (field->kind == FIELD_STRING)
		put_string(to, &record->value);
	else if (field->kind == FIELD_STAGES)
		put_stages(to, &record->request);
	else if (field->kind == FIELD_STACK)
		put_stack(to, record);
	otlp_end(to, at);
}

static void put_field(struct protobuf *to, const struct otlp_key *key, const struct field *field,
		      const struct record *record)
{
	char name[ERRNO_NAME_LEN];
	const char *text;
	size_t len;

	/* Most fields are integers. */
	if (field->kind == FIELD_UNSIGNED || field->kind == FIELD_TIME)
		return otlp_put_unsigned(to, key, field_number(field, record));
	switch (field->kind) {
	case FIELD_SIGNED:
		return otlp_put_int(to, key, field_number(field, record));
	case FIELD_CHARS:
	case FIELD_TEXT:
	case FIELD_NAME:
	case FIELD_FUNCTION:
		text = field_text(field, record, &len);
		return otlp_put_text(to, key, text, len);
	case FIELD_ERRNO:
		text = errno_text(name, field_number(field, record));
		return otlp_put_text(to, key, text, strlen(text));
	case FIELD_DEV:
		return put_dev(to, key, field_number(field, record));
	case FIELD_RESULT:
		if (is_plain_number(&record->value))
			return otlp_put_int(to, key, record->value.number);
		break;
	case FIELD_FLAG:
		return otlp_put_bool(to, key, true);
	case FIELD_MEMBERS:
		return otlp_members_put(to, key, record->members);
	}
	put_inner(to, key, field, record);
}

static void put_attributes(struct protobuf *to, unsigned int number, const struct record *record,
			   const struct identity *identity)
{
	const struct field *field = record->kind->fields, *last = field + record->kind->nr;
	struct otlp_key key = { .field = number };

	otlp_put_text(to, OTLP_KEY_OF(number, "ktrace.session"), identity->session,
		      identity->session_len);
	if (identity->id_len)
		otlp_put_text(to, OTLP_KEY_OF(number, "ktrace.id"), identity->id, identity->id_len);
	for (; field < last; field++) {
		key.text = field->otel;
		key.len = field->otel_len;
		if (field_is_there(field, record))
			put_field(to, &key, field, record);
	}
}

/* --- logs ------------------------------------------------------------------------------ */

/* The reader of the rings is one thread, so one buffer serves all records. */
static struct protobuf buffer;

#define ROOM 4096	/* bytes: all attributes of most records have room at once */

static struct protobuf *new_message(void)
{
	buffer.len = 0;
	protobuf_room(&buffer, ROOM);
	return &buffer;
}

static bool has_duration(const struct record *record)
{
	uint32_t id = record->event.id;

	return id == EVENT_EXIT || id == EVENT_SYSCALL || id == EVENT_REQUEST ||
	       id == EVENT_CALL || id == EVENT_PERIOD || id == EVENT_FAULT;
}

#define WORDS_LEN 64	/* bytes: the words of a title without the name, which are ASCII */

/* Puts the name of the kind at a place with room. Returns its end. */
static inline unsigned char *put_kind(unsigned char *to, const struct record_kind *kind)
{
	otlp_copy(to, kind->name, kind->name_len);
	return to + kind->name_len;
}

/* Puts "request write" at a place for a text. */
static void put_title(struct protobuf *to, const struct record *record)
{
	unsigned char *at = put_kind(protobuf_room(to, WORDS_LEN), record->kind);

	*at = ' ';
	protobuf_end_at(to, at + !!record->name);
	if (record->name)
		otlp_add_utf8(to, record->name, strlen(record->name));
}

/* The text of a log: "request write, 31234567 ns". */
static void put_body(struct protobuf *to, const struct record *record)
{
	size_t body = protobuf_begin(to, LOG_BODY), text = protobuf_begin(to, OTLP_STRING);
	char *at;

	put_title(to, record);
	if (has_duration(record)) {
		at = json_put((char *)protobuf_room(to, WORDS_LEN), ", ");
		at = json_put(json_put_u64(at, record->event.duration), " ns");
		protobuf_end_at(to, (unsigned char *)at);
	}
	protobuf_end(to, text);
	protobuf_end(to, body);
}

static void put_event(struct protobuf *to, const struct record *record)
{
	size_t event = protobuf_begin(to, LOG_EVENT);
	unsigned char *at = (unsigned char *)json_put((char *)protobuf_room(to, WORDS_LEN),
						       "ktrace.");

	protobuf_end_at(to, put_kind(at, record->kind));
	protobuf_end(to, event);
}

static char *put_buffer(struct json_line *line)
{
	return json_put_bytes(line, line->begin, (const char *)buffer.bytes, buffer.len);
}

char *otlp_record_put_log(struct json_line *line, const struct record *record,
			  const struct identity *identity)
{
	struct protobuf *to = new_message();
	size_t log;

	log = protobuf_begin(to, OTLP_ITEM);
	protobuf_put_fixed(to, LOG_TIME, identity->realtime);
	protobuf_put_number(to, LOG_SEVERITY, record->event.id == EVENT_GAP ? SEVERITY_WARN :
			    SEVERITY_INFO);
	put_body(to, record);
	put_attributes(to, LOG_ATTRIBUTES, record, identity);
	/* The module has seen it when it happened. */
	protobuf_put_fixed(to, LOG_OBSERVED, identity->realtime);
	put_event(to, record);
	protobuf_end(to, log);
	return put_buffer(line);
}

/* --- spans ----------------------------------------------------------------------------- */

static bool is_span(const struct record *record)
{
	if (record->event.id == EVENT_EXIT)
		return !record->event.depth;
	return has_duration(record) && record->event.id != EVENT_PERIOD;
}

/* A hash of the record's id; which: one of three hashes. */
static uint64_t hash_of(const struct identity *identity, uint64_t which)
{
	uint64_t hash = 14695981039346656037ULL + which;
	size_t i;

	for (i = 0; i < identity->id_len; i++)
		hash = (hash ^ (unsigned char)identity->id[i]) * 1099511628211ULL;
	hash = (hash ^ hash >> 33) * 0xff51afd7ed558ccdULL;
	hash = (hash ^ hash >> 33) * 0xc4ceb9fe1a85ec53ULL;
	hash ^= hash >> 33;
	return hash ? hash : 1;
}

static void put_ids(struct protobuf *to, const struct identity *identity)
{
	const uint64_t trace[] = { hash_of(identity, 0), hash_of(identity, 1) };
	const uint64_t span = hash_of(identity, 2);

	protobuf_put_bytes(to, SPAN_TRACE, trace, sizeof(trace));
	protobuf_put_bytes(to, SPAN_ID, &span, sizeof(span));
}

static void put_status(struct protobuf *to, uint32_t error)
{
	size_t status = protobuf_begin(to, SPAN_STATUS);
	char name[ERRNO_NAME_LEN];

	protobuf_put_text(to, STATUS_MESSAGE, errno_text(name, error));
	protobuf_put_number(to, STATUS_CODE, CODE_ERROR);
	protobuf_end(to, status);
}

char *otlp_record_put_span(struct json_line *line, const struct record *record,
			   const struct identity *identity)
{
	struct protobuf *to = new_message();
	size_t span, name;

	if (!is_span(record))
		return line->begin;
	span = protobuf_begin(to, OTLP_ITEM);
	put_ids(to, identity);
	name = protobuf_begin(to, SPAN_NAME);
	put_title(to, record);
	protobuf_end(to, name);
	protobuf_put_number(to, SPAN_KIND, KIND_INTERNAL);
	protobuf_put_fixed(to, SPAN_START, identity->realtime - record->event.duration);
	protobuf_put_fixed(to, SPAN_END, identity->realtime);
	put_attributes(to, SPAN_ATTRIBUTES, record, identity);
	if (record->error)
		put_status(to, record->error);
	protobuf_end(to, span);
	return put_buffer(line);
}
