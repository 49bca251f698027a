/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORD_H
#define RECORD_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "report/record_value.h"
#include "report/stacks.h"
#include "report/syscall_names.h"
#include "report/text_copy.h"
#include "session/event.h"
#include "session/names.h"
#include "system/disks.h"
#include "uapi/ktrace_record.h"

/*
 * The records of a stream, as they are shown. Each kind of record is described once, by its fields.
 * An output is a loop over the fields: JSON (record_json.c), the columns of a line of text
 * (record_text.c), CTF (ctf_metadata.c, ctf_packet.c), and docs/schema/event.json, which a unit
 * test generates.
 */

/* What struct record has at the offset of a field. */
enum field_kind {
	FIELD_UNSIGNED,		/* an integer */
	FIELD_TIME,		/* ns, CLOCK_MONOTONIC */
	FIELD_SIGNED,		/* an integer of 8 bytes */
	FIELD_LIST,		/* several of them */
	FIELD_CHARS,		/* text, which ends with a zero or after RECORD_CHARS bytes */
	FIELD_TEXT,		/* const char * */
	FIELD_NAME,		/* record.name */
	FIELD_FUNCTION,		/* the number of a function, whose name is record.name */
	FIELD_ERRNO,		/* an error, above 0 */
	FIELD_DEV,		/* major << 20 | minor */
	FIELD_FLAGS,		/* a byte; its bits are fields of their own */
	FIELD_FLAG,		/* true, or absent */
	FIELD_STAGES,		/* of a request: the time of each stage that it went through */
	/* what tells if the field is there: */
	FIELD_ARGS,		/* the length of event's payload, the arguments of a call */
	FIELD_RESULT,		/* the kind of value, the result of a call */
	FIELD_STRING,		/* the kind of value; null if the string could not be read */
	FIELD_STACK,		/* whether the event has a stack; null if it is not known */
	FIELD_MEMBERS		/* struct json_object *: its members stand in place of the field */
};

struct field {
	const char *name;	/* "duration_ns": an integer's name ends with its unit */
	const char *unit;	/* "ns", "bytes", or NULL */
	char json[24];		/* ,"duration_ns": */
	uint8_t json_len;
	const char *ctf;	/* its name in CTF, unless it is the name without the unit */
	const char *otel;	/* its name in OpenTelemetry: "ktrace.duration_ns" */
	uint8_t otel_len;
	uint16_t offset;	/* in struct record */
	uint16_t width;		/* bytes */
	uint8_t kind;		/* enum field_kind */
	int8_t column;		/* as in %*s: how wide it is at the beginning of a line; or 0 */
	bool is_head;		/* a CTF event has it before its fields */
	bool is_optional;	/* absent if its number is none */
	uint64_t mask;		/* the bits of its number */
	uint64_t none;
};

struct record_kind {
	const char *name;
	uint8_t name_len;
	const struct field *fields;
	size_t nr;
	char json[56];		/* RECORD_JSON and request" */
	uint8_t json_len;
};

#define RECORD_SCHEMA "ktrace.event/1"
#define RECORD_JSON "{\"schema\":\"" RECORD_SCHEMA "\",\"event\":\""	/* behind it, the kind's name */

/* Kinds are numbered: the module's, one for all ids that are not known, and the streamer's. */
#define RECORD_UNKNOWN (EVENT_SAMPLE + 1)
#define RECORD_OWN(id) (RECORD_UNKNOWN + 1 + (id) - EVENT_BEGIN)
#define RECORD_NR_KINDS (RECORD_OWN(EVENT_ROW) + 1)
#define RECORD_CHARS 16
#define RECORD_MOST_FIELDS 24	/* of a kind: a mask has a bit for each */

static inline uint32_t record_kind_number(uint32_t id)
{
	if (id >= EVENT_BEGIN && id <= EVENT_ROW)
		return RECORD_OWN(id);
	return id < RECORD_UNKNOWN ? id : RECORD_UNKNOWN;
}

/* Puts the name of a kind at a place with room for sixteen bytes. Returns its end. */
static inline char *record_kind_put_name(char *to, const struct record_kind *kind)
{
	memcpy(to, kind->json + sizeof(RECORD_JSON) - 1, 16);
	return to + kind->name_len;
}

/* Returns the description of an enum event_id, or that of an id that is not known. */
const struct record_kind *record_kind_of(uint32_t id);

/* What a streamer reports about a stream. Numbers are of records. */
struct record_tally {
	uint64_t from;		/* ns, CLOCK_MONOTONIC: a gap began; 0: not known */
	int64_t step;		/* ns: CLOCK_REALTIME was set forward by this */
	uint64_t produced, acknowledged, dropped, held;		/* as the module counts them */
	uint64_t delivered, refused, skipped;	/* to this sink, by this streamer */
};

struct record {
	union {
		struct ktrace_syscall_record syscall;
		struct ktrace_request_record request;
		struct ktrace_call_record call;
		struct ktrace_period_record period;
		struct ktrace_fault_record fault;
		struct ktrace_sample_record sample;
		struct record_tally tally;
	};
	const char *name;	/* of the function, system call, operation, kind of period or fault,
				 * or mode of a sample */
	size_t name_len;
	const struct value_formats *formats;	/* of the values; or NULL */
	const char *abi;	/* SYSCALL */
	const char *path;	/* SYSCALL: of the file in the first argument; REQUEST; FAULT: the
				 * address of the page; or NULL */
	struct value value;	/* in the event's memory: the result of EXIT; SYSCALL: a path that
				 * was passed to the call; kind 0: none */
	unsigned int string_arg;	/* the number of the argument with this path */
	bool is_cut;		/* the path is longer */
	const char *disk;	/* REQUEST */
	uint32_t error;		/* errno, or 0 */
	const struct stack *stack;
	size_t first;		/* the frame of the stack to begin with */
	struct json_object *members;	/* ROW: keys and figures */
	/* record_parse() sets what is from name on to 0 first, and below only what is used: */
	const struct record_kind *kind;
	struct ktr_record event;
	char name_text[SYSCALL_NAME_LEN];
	union {
		char path_text[KTRACE_SYSCALL_PATH_LEN + 1];
		char disk_text[DISK_NAME_LEN];
	};
};

struct io_names;

/* What the numbers in records mean. Members that a kind of record does not need may be NULL. */
struct record_source {
	const struct names *names;	/* of functions */
	const struct stacks *stacks;
	struct io_names *io;		/* REQUEST; NULL: disks and files are numbers */
};

/*
 * Parses an event, which may be the record's own. Its payload must stay valid as long as the record.
 * Integers are 0 and texts are empty if the event is too short.
 */
void record_parse(struct record *record, const struct ktr_record *event,
		  const struct record_source *source);

/*
 * Returns an integer of any kind, which is never at the end of the record. Inline, as the next
 * ones, because it is called for most fields.
 */
static inline uint64_t field_number(const struct field *field, const struct record *record)
{
	uint64_t number;

	memcpy(&number, (const char *)record + field->offset, sizeof(number));
	return le64toh(number) & field->mask;
}

static inline bool field_is_there(const struct field *field, const struct record *record)
{
	return !field->is_optional || field_number(field, record) != field->none;
}

/* Returns the length of a text in a field. */
static inline size_t field_chars_len(const char *text)
{
	text_bytes bytes;

	memcpy(&bytes, text, RECORD_CHARS);
	return __builtin_ctz(text_marked(bytes == EACH(0)) | 1 << RECORD_CHARS);
}

/* Returns a text of any kind; *len: its length. */
static inline const char *field_text(const struct field *field, const struct record *record,
				     size_t *len)
{
	const char *text = (const char *)record + field->offset;

	if (field->kind == FIELD_CHARS) {
		*len = field_chars_len(text);
		return text;
	}
	if (field->kind != FIELD_TEXT) {
		*len = record->name_len;
		return record->name;
	}
	text = *(const char *const *)text;
	*len = strlen(text);
	return text;
}

/* Prints one JSON document on one line. */
void record_print_json(FILE *out, const struct record *record);
/*
 * Prints a system call, request, call, period, fault or sample on one line: seconds since start_ns
 * at which it ended, its thread, its duration, and what it was. Prints stages and the stack below.
 */
void record_print(FILE *out, const struct record *record, uint64_t start_ns);
/* Prints a system call as in C, with its result: the end of its line. */
void syscall_event_print(FILE *out, const struct record *record);
/* The same for a request, whose line has used so many columns, and its stages. */
void io_event_print(FILE *out, const struct record *record, size_t columns);

#endif
