// SPDX-License-Identifier: GPL-2.0
/* Records for journald: the loop of record_json.c with other keys. */
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


static const char ids[][ID_LEN + 1] = {
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
}, own_ids[][ID_LEN + 1] = {
	[EVENT_BEGIN - EVENT_BEGIN] = "b51adff5092b4c52903d98fc62941729",
	[EVENT_CLOCK - EVENT_BEGIN] = "75989cd2708749bfb56bcf6d29c8c5d8",
	[EVENT_ROW - EVENT_BEGIN] = "2e32026fc2be41b9ad45e6a906c20bb9",
	[EVENT_END - EVENT_BEGIN] = "ac24d1a5c7cc49599dd4c2a47f4b13ee",
}, unknown_id[] = "655da9abe89a4ce38a4cf53b3e65fb6a";

const char *record_message_id(uint32_t event)
{
	if (event >= EVENT_BEGIN && event <= EVENT_ROW)
		return own_ids[event - EVENT_BEGIN];
	return event < sizeof(ids) / sizeof(*ids) ? ids[event] : unknown_id;
}

/* --- fields --------------------------------------------------------------- */

/* Marks line feeds. */
static inline text_words marks_of(text_words bytes)
{
	bytes ^= EACH('\n');
	return (bytes - EACH(1)) & ~bytes;
}

/* Puts a value that has a line feed, or is long. */
static __attribute__((noinline)) char *put_any(struct json_line *line, char *to, const char *text,
					       size_t len)
{
	uint64_t binary = htole64(len);

	if (memchr(text, '\n', len)) {
		to[-1] = '\n';	/* for the = */
		memcpy(to, &binary, sizeof(binary));
		to += sizeof(binary);
	}
	return json_put(json_put_bytes(line, to, text, len), "\n");
}

/* Puts a value behind its key, and ends the line. */
static char *put_text(struct json_line *line, char *to, const char *text, size_t len)
{
	if (!json_has_room(line, to, len) || !text_copy(to, text, len, marks_of))
		return put_any(line, to, text, len);
	to[len] = '\n';
	return to + len + 1;
}

static char *put_entry(struct json_line *line, char *to, const char *key, const char *text)
{
	return put_text(line, json_put(to, key), text, strlen(text));
}

/* JSON has quotes around numbers that are hexadecimal or above 2^53. */
static inline char *end_unquoted(char *from, char *end)
{
	if (*from == '"') {
		memmove(from, from + 1, end - from - 2);
		end -= 2;
	}
	*end = '\n';
	return end + 1;
}

static char *put_unquoted(struct json_line *line, char *to, const struct field *field,
			  const struct record *record)
{
	return end_unquoted(to, record_put_json(line, to, field, record));
}

static char *put_json(struct json_line *line, char *to, const struct field *field,
		      const struct record *record)
{
	return json_put(record_put_json(line, to, field, record), "\n");
}

/* A complete string is its own value. Others are as in JSON. */
static char *put_value(struct json_line *line, char *to, const struct field *field,
		       const struct record *record)
{
	const struct value *value = &record->value;

	if (value->kind != KTRACE_VALUE_STRING)
		return put_unquoted(line, to, field, record);
	if (value->state == KTRACE_STRING_WHOLE ||
	    (value->state == KTRACE_STRING_CUT && field->kind == FIELD_STRING))
		return put_text(line, to, value->text, value->len);
	return put_json(line, to, field, record);
}

static char *put_field(struct json_line *line, char *to, const struct field *field,
		       const struct record *record)
{
	char name[ERRNO_NAME_LEN];
	const char *text;
	size_t len;

	/* Most fields are integers. */
	if (field->kind == FIELD_UNSIGNED || field->kind == FIELD_TIME)
		return end_unquoted(to, json_put_u64(to, field_number(field, record)));
	switch (field->kind) {
	case FIELD_CHARS:
	case FIELD_TEXT:
	case FIELD_FUNCTION:
		text = field_text(field, record, &len);
		return put_text(line, to, text, len);
	case FIELD_ERRNO:
		text = errno_text(name, field_number(field, record));
		return put_text(line, to, text, strlen(text));
	case FIELD_RESULT:
	case FIELD_STRING:
		return put_value(line, to, field, record);
	case FIELD_LIST:
	case FIELD_ARGS:
	case FIELD_STAGES:
	case FIELD_STACK:
		return put_json(line, to, field, record);
	}
	return put_unquoted(line, to, field, record);
}

#define PREFIX "KTRACE_"

/*
 * Puts the field's name in upper case, and =. In the JSON it stands between ," and ": and what else
 * is copied is overwritten. Lower case letters differ from upper case ones in a bit.
 */
static inline char *put_key(char *to, const struct field *field)
{
	size_t len = field->json_len - (sizeof(",\"\":") - 1);
	text_words words;
	uint32_t last;

	to = json_put(to, PREFIX);
	memcpy(&words, field->json + 2, sizeof(words));
	words &= ~((words & EACH(0x40)) >> 1);
	memcpy(to, &words, sizeof(words));
	if (len > sizeof(words)) {
		memcpy(&last, field->json + 2 + sizeof(words), sizeof(last));
		last &= ~((last & (uint32_t)EACH(0x40)) >> 1);
		memcpy(to + sizeof(words), &last, sizeof(last));
	}
	to[len] = '=';
	return to + len + 1;
}

/* Puts the keys and figures of a row of a table. */
static char *put_members(struct json_line *line, char *to, struct json_object *members)
{
	const char *text;

	json_object_object_foreach(members, key, value) {
		to = json_put(json_put_bytes(line, to, "", 0), PREFIX);
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

/* --- the message ----------------------------------------------------------- */

/* Puts a text in the middle of a line, with blanks for line feeds. */
static char *put_words(struct json_line *line, char *to, const char *text, size_t len)
{
	size_t part;

	if (json_has_room(line, to, len) && text_copy(to, text, len, marks_of))
		return to + len;
	for (;; text += part + 1, len -= part + 1) {
		part = memchr(text, '\n', len) ? strcspn(text, "\n") : len;
		to = json_put_bytes(line, to, text, part);
		if (part == len)
			return to;
		to = json_put(to, " ");
	}
}

/* Puts up to four digits, without a fraction. */
static char *put_duration(char *to, uint64_t ns)
{
	static const char units[][6] = { " ns", " us", " ms", " s" };
	unsigned int unit;

	for (unit = 0; unit < 3 && ns >= 10000; unit++)
		ns = (ns + 500) / 1000;
	return json_put(json_put_u64(to, ns), units[unit]);
}

/* The fields of a record that tell most. */
struct gist {
	const struct field *name, *duration;
};

static inline void note(struct gist *gist, const struct field *field)
{
	if (field->kind == FIELD_UNSIGNED &&
	    field->offset == offsetof(struct record, event.duration))
		gist->duration = field;
	if (field->kind < FIELD_CHARS || field->kind > FIELD_FUNCTION)
		return;
	if (field->kind == FIELD_FUNCTION || field->offset == offsetof(struct record, name) ||
	    field->offset == offsetof(struct record, event.program))
		gist->name = field;
}

/* Puts the kind, and its gist: "syscall openat, 1234 us, ENOENT". */
static char *put_message(struct json_line *line, char *to, const struct record *record,
			 const struct gist *gist)
{
	char name[ERRNO_NAME_LEN];
	const char *text;
	size_t len;

	to = json_put(json_put(to, "MESSAGE="), record->kind->name);
	if (gist->name) {
		text = field_text(gist->name, record, &len);
		to = put_words(line, json_put(to, " "), text, len);
	}
	if (gist->duration && gist->duration->unit)
		to = put_duration(json_put(to, ", "), record->event.duration);
	else if (gist->duration)
		to = json_put_u64(json_put(to, " of records: "), record->event.duration);
	if (record->error)
		to = json_put(json_put(to, ", "), errno_text(name, record->error));
	return json_put(to, "\n");
}

void record_put_journal(FILE *out, const struct record *record, const struct identity *identity)
{
	const struct field *field = record->kind->fields, *end = field + record->kind->nr;
	struct gist gist = { NULL, NULL };
	struct json_line line;
	char *to = line.text;

	line.out = out;
	to = json_put(to, "PRIORITY=6\nSYSLOG_IDENTIFIER=ktrace\nMESSAGE_ID=");
	memcpy(to, record_message_id(record->event.id), ID_LEN);
	to = json_put(to + ID_LEN, "\n");
	if (identity->id_len) {
		to = json_put(to, PREFIX "ID=");
		to = put_text(&line, to, identity->id, identity->id_len);
	}
	to = put_entry(&line, to, PREFIX "SESSION=", identity->session);
	to = json_put(json_put(json_put(to, PREFIX "EVENT="), record->kind->name), "\n" PREFIX "TIME=");
	to = json_put(identity_put_time(to, identity->realtime, 9), "\n");
	for (; field < end; field++) {
		if (!field_is_there(field, record))
			continue;
		if (field->kind == FIELD_MEMBERS) {
			to = put_members(&line, to, record->members);
			continue;
		}
		note(&gist, field);
		to = put_field(&line, put_key(to, field), field, record);
	}
	json_line_flush(&line, put_message(&line, to, record, &gist));
}
