// SPDX-License-Identifier: GPL-2.0
/* Records for journald: the loop of record_json.c with other keys. */
#include <ctype.h>
#include <endian.h>
#include <string.h>

#include <json-c/json.h>

#include "report/json_line.h"
#include "report/number_names.h"
#include "report/record.h"
#include "report/record_json.h"
#include "report/text_copy.h"
#include "stream/record_journal.h"

/* --- the identifiers of messages ------------------------------------------ */

#define ID_LEN 32

/* They never change, because catalogs and searches refer to them. uuidgen -r makes new ones. */
static const char ids[RECORD_NR_KINDS][ID_LEN + 1] = {
	[EVENT_GAP] = "c5ffb7fd881d473ba7233fb369585606",
	[EVENT_ENTRY] = "11bfe11639444f9799cc56d9c0f6dbd0",
	[EVENT_EXIT] = "80cea62259ea46c389081e7da1924b3f",
	[EVENT_TASK_EXIT] = "c4b58d51a81f4b3a830f136853c43cea",
	[EVENT_FORK] = "c5b298e7102445b99cdd3b596fa54fc6",
	[EVENT_EXEC] = "bad98f82bfc14874b57a0f411399f67a",
	[EVENT_SYSCALL] = "a22418b9be3146abb07c9aa1cd48a852",
	[EVENT_REQUEST] = "ed55711a1a0844d48d4bb569166715f9",
	[EVENT_CALL] = "ff0f67ee57d64d0698b50263226902be",
	[EVENT_PERIOD] = "febe6a27e94e4cf1b8d77fea79cd1ac3",
	[EVENT_FAULT] = "5514b51ed13143d192969ffaa6fdffe7",
	[EVENT_SAMPLE] = "c0f218a2aed04960a54c6725af42027a",
	[RECORD_UNKNOWN] = "655da9abe89a4ce38a4cf53b3e65fb6a",
	[RECORD_OWN(EVENT_BEGIN)] = "b51adff5092b4c52903d98fc62941729",
	[RECORD_OWN(EVENT_CLOCK)] = "75989cd2708749bfb56bcf6d29c8c5d8",
	[RECORD_OWN(EVENT_END)] = "ac24d1a5c7cc49599dd4c2a47f4b13ee",
	[RECORD_OWN(EVENT_ROW)] = "2e32026fc2be41b9ad45e6a906c20bb9",
};

const char *record_message_id(uint32_t event)
{
	return ids[record_kind_number(event)];
}

/* --- what records of a kind have in common -------------------------------- */

#define PREFIX "KTRACE_"

struct key {
	char text[31];		/* KTRACE_DURATION_NS=, behind the line feed of the line before */
	uint8_t len;
};

static struct kind {
	char head[80];		/* PRIORITY=, SYSLOG_IDENTIFIER=, MESSAGE_ID= */
	char event[48];		/* KTRACE_EVENT=, and the key of the time */
	char message[32];	/* MESSAGE= and the name of the kind */
	size_t head_len, event_len, message_len;	/* 0: it was not described yet */
	struct key keys[RECORD_MOST_FIELDS];
	const struct field *name, *duration;	/* what tells most; or NULL */
} kinds[RECORD_NR_KINDS];

/* Sets a field's key: its name in upper case. The members of a row have their own ones. */
static void set_key(struct key *key, const struct field *field)
{
	size_t i;

	if (field->kind == FIELD_MEMBERS)
		return;
	key->len = snprintf(key->text, sizeof(key->text), "\n" PREFIX "%s=", field->name);
	for (i = 0; i < key->len; i++)
		key->text[i] = toupper((unsigned char)key->text[i]);
}

static void note(struct kind *kind, const struct field *field)
{
	if (field->kind == FIELD_UNSIGNED &&
	    field->offset == offsetof(struct record, event.duration))
		kind->duration = field;
	if (field->kind < FIELD_CHARS || field->kind > FIELD_FUNCTION)
		return;
	if (field->kind == FIELD_FUNCTION || field->offset == offsetof(struct record, name) ||
	    field->offset == offsetof(struct record, event.program))
		kind->name = field;
}

static void describe(struct kind *kind, const struct record *record)
{
	const char *name = record->kind->name;
	size_t i;

	kind->head_len = snprintf(kind->head, sizeof(kind->head),
				  "PRIORITY=6\nSYSLOG_IDENTIFIER=ktrace\nMESSAGE_ID=%s",
				  record_message_id(record->event.id));
	kind->event_len = snprintf(kind->event, sizeof(kind->event),
				   "\n" PREFIX "EVENT=%s\n" PREFIX "TIME=", name);
	kind->message_len = snprintf(kind->message, sizeof(kind->message), "\nMESSAGE=%s", name);
	for (i = 0; i < record->kind->nr; i++) {
		set_key(&kind->keys[i], &record->kind->fields[i]);
		note(kind, &record->kind->fields[i]);
	}
}

static const struct kind *kind_of(const struct record *record)
{
	struct kind *kind = &kinds[record_kind_number(record->event.id)];

	if (!kind->message_len)
		describe(kind, record);
	return kind;
}

/* --- fields --------------------------------------------------------------- */

/* What is common needs few registers then, and saves none for what is rare. */
#define NOT_INLINE __attribute__((noinline))

/* Marks line feeds. */
static inline text_bytes marks_of(text_bytes bytes)
{
	return bytes == EACH('\n');
}

/* Puts a value that has a line feed, or is long. */
static NOT_INLINE char *put_any(struct json_line *line, char *to, const char *text, size_t len)
{
	uint64_t binary = htole64(len);

	if (memchr(text, '\n', len)) {
		to[-1] = '\n';	/* for the = */
		memcpy(to, &binary, sizeof(binary));
		to += sizeof(binary);
	}
	return json_put_bytes(line, to, text, len);
}

/* Puts a value behind its key. */
static char *put_text(struct json_line *line, char *to, const char *text, size_t len)
{
	if (!json_has_room(line, to, len) || !text_copy(to, text, len, marks_of))
		return put_any(line, to, text, len);
	return to + len;
}

static char *put_number(char *to, const struct value *value)
{
	return value->format == 'x' ? json_put_bare_hex(to, value->number) :
	       value->format == 'u' ? json_put_bare_u64(to, value->number) :
	       json_put_bare_s64(to, value->number);
}

/* A complete string is its own value. Others are as in JSON. */
static NOT_INLINE char *put_value(struct json_line *line, char *to, const struct field *field,
				  const struct record *record)
{
	const struct value *value = &record->value;

	if (value->kind != KTRACE_VALUE_STRING)
		return put_number(to, value);
	if (value->state == KTRACE_STRING_WHOLE ||
	    (value->state == KTRACE_STRING_CUT && field->kind == FIELD_STRING))
		return put_text(line, to, value->text, value->len);
	return record_put_json(line, to, field, record);
}

/* Puts the keys and figures of a row of a table. */
static NOT_INLINE char *put_members(struct json_line *line, char *to, struct json_object *members)
{
	const char *text;

	json_object_object_foreach(members, key, value) {
		to = json_put(json_put_bytes(line, to, "", 0), "\n" PREFIX);
		for (; *key; key++)
			*to++ = *key >= 'a' && *key <= 'z' ? *key - 'a' + 'A' :
				*key >= '0' && *key <= '9' ? *key : '_';
		*to++ = '=';
		text = json_object_is_type(value, json_type_string) ? json_object_get_string(value) :
		       json_object_to_json_string_ext(value, JSON_C_TO_STRING_PLAIN);
		to = put_text(line, to, text, strlen(text));
	}
	return to;
}

static NOT_INLINE char *put_errno(struct json_line *line, char *to, const struct field *field,
				  const struct record *record)
{
	char name[ERRNO_NAME_LEN];
	const char *text = errno_text(name, field_number(field, record));

	return put_text(line, to, text, strlen(text));
}

/* Inline in the loop over the fields, as in record_json.c. */
static inline __attribute__((always_inline)) char *put_field(struct json_line *line, char *to,
							     const struct field *field,
							     const struct record *record)
{
	const char *text;
	size_t len;

	/* Most fields are integers. */
	if (field->kind == FIELD_UNSIGNED || field->kind == FIELD_TIME)
		return json_put_bare_u64(to, field_number(field, record));
	switch (field->kind) {
	case FIELD_CHARS:
	case FIELD_TEXT:
	case FIELD_NAME:
	case FIELD_FUNCTION:
		text = field_text(field, record, &len);
		return put_text(line, to, text, len);
	case FIELD_SIGNED:
		return json_put_bare_s64(to, field_number(field, record));
	case FIELD_ERRNO:
		return put_errno(line, to, field, record);
	case FIELD_DEV:
		return json_put_dev(to, field_number(field, record));
	case FIELD_RESULT:
	case FIELD_STRING:
		return put_value(line, to, field, record);
	case FIELD_LIST:
	case FIELD_ARGS:
	case FIELD_STAGES:
	case FIELD_STACK:
		return record_put_json(line, to, field, record);
	case FIELD_MEMBERS:
		return put_members(line, to, record->members);
	}
	return json_put(to, "true");	/* a flag */
}

/* --- the message ----------------------------------------------------------- */

static NOT_INLINE char *put_any_words(struct json_line *line, char *to, const char *text, size_t len)
{
	size_t part;

	for (;; text += part + 1, len -= part + 1) {
		part = memchr(text, '\n', len) ? strcspn(text, "\n") : len;
		to = json_put_bytes(line, to, text, part);
		if (part == len)
			return to;
		to = json_put(to, " ");
	}
}

/* Puts a text in the middle of a line, with blanks for line feeds. */
static char *put_words(struct json_line *line, char *to, const char *text, size_t len)
{
	if (!json_has_room(line, to, len) || !text_copy(to, text, len, marks_of))
		return put_any_words(line, to, text, len);
	return to + len;
}

/* Puts up to four digits, without a fraction. */
static char *put_duration(char *to, uint64_t ns)
{
	static const char units[][4] = { " ns", " us", " ms", " s" };
	unsigned int unit;

	for (unit = 0; unit < 3 && ns >= 10000; unit++)
		ns = (ns + 500) / 1000;
	to = json_put_u64(to, ns);
	memcpy(to, units[unit], sizeof(units[unit]));
	return to + (unit < 3 ? 3 : 2);
}

/* Puts the kind, and what tells most: "syscall openat, 1234 us, ENOENT". */
static char *put_message(struct json_line *line, char *to, const struct record *record,
			 const struct kind *kind)
{
	char name[ERRNO_NAME_LEN];
	const char *text;
	size_t len;

	memcpy(to, kind->message, sizeof(kind->message));
	to += kind->message_len;
	if (kind->name) {
		text = field_text(kind->name, record, &len);
		to = put_words(line, json_put(to, " "), text, len);
	}
	if (kind->duration && kind->duration->unit)
		to = put_duration(json_put(to, ", "), record->event.duration);
	else if (kind->duration)
		to = json_put_u64(json_put(to, " of records: "), record->event.duration);
	if (record->error)
		to = json_put(json_put(to, ", "), errno_text(name, record->error));
	return json_put(to, "\n");
}

static char *put_head(char *to, const struct kind *kind, const struct identity *identity)
{
	memcpy(to, kind->head, sizeof(kind->head));
	to += kind->head_len;
	if (identity->id_len)
		to = identity_put_id(json_put(to, "\n" PREFIX "ID="), identity);
	to = identity_put_session(json_put(to, "\n" PREFIX "SESSION="), identity);
	memcpy(to, kind->event, sizeof(kind->event));
	return identity_put_time(to + kind->event_len, identity->realtime, 9);
}

char *record_add_journal(struct json_line *line, char *to, const struct record *record,
			 const struct identity *identity)
{
	const struct field *field = record->kind->fields, *end = field + record->kind->nr;
	const struct kind *kind = kind_of(record);
	const struct key *key = kind->keys;

	to = put_head(to, kind, identity);
	for (; field < end; field++, key++) {
		if (!field_is_there(field, record))
			continue;
		memcpy(to, key, sizeof(*key));
		to = put_field(line, to + key->len, field, record);
	}
	return put_message(line, to, record, kind);
}

char *record_put_journal(struct json_line *line, const struct record *record,
			 const struct identity *identity)
{
	return record_add_journal(line, line->begin, record, identity);
}
