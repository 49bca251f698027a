/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What logs, spans and metrics of OTLP have in common (opentelemetry-proto 1.x): attributes, the
 * envelope of a request, and its answer.
 */
#ifndef OTLP_H
#define OTLP_H

#include <stdbool.h>
#include <stdint.h>

#include "report/text_copy.h"
#include "util/protobuf.h"

/* --- values and attributes ------------------------------------------------------------- */

/* Fields of AnyValue; of ArrayValue and KeyValueList; and of KeyValue. */
enum { OTLP_STRING = 1, OTLP_BOOL, OTLP_INT, OTLP_DOUBLE, OTLP_ARRAY, OTLP_LIST };
enum { OTLP_VALUES = 1 };
enum { OTLP_KEY = 1, OTLP_VALUE };

/* The name of an attribute; field: of the message that has the attribute. */
struct otlp_key {
	unsigned int field;
	const char *text;
	size_t len;
};

#define OTLP_KEY_OF(field, text) (&(const struct otlp_key){ field, text, sizeof(text) - 1 })

/* Put an attribute with its value. */
void otlp_put_int(struct protobuf *to, const struct otlp_key *key, int64_t number);
void otlp_put_bool(struct protobuf *to, const struct otlp_key *key, bool is_true);
/* U+FFFD replaces what is no UTF-8. */
void otlp_put_text(struct protobuf *to, const struct otlp_key *key, const char *text, size_t len);
/* OTLP has no integers above INT64_MAX, so these become texts. */
void otlp_put_large(struct protobuf *to, const struct otlp_key *key, uint64_t number);
static inline void otlp_put_unsigned(struct protobuf *to, const struct otlp_key *key,
				     uint64_t number)
{
	if (number <= INT64_MAX)
		otlp_put_int(to, key, number);
	else
		otlp_put_large(to, key, number);
}

/* An attribute whose value is written between begin and end, by a field of AnyValue or none. */
struct otlp_attribute {
	size_t attribute, value;
};
struct otlp_attribute otlp_begin(struct protobuf *to, const struct otlp_key *key);
void otlp_end(struct protobuf *to, struct otlp_attribute at);

static inline text_bytes otlp_marks(text_bytes bytes)
{
	return bytes;
}

/* Copies a text to a place with room. Returns false if it has more than ASCII. */
static inline bool otlp_copy(unsigned char *to, const char *text, size_t len)
{
	return text_copy((char *)to, text, len, otlp_marks);
}

/* Puts a field that is a text; U+FFFD replaces what is no UTF-8. */
void otlp_put_utf8(struct protobuf *to, unsigned int field, const char *text, size_t len);
/* The same for a part of a text, between begin and end of its field. */
void otlp_add_utf8(struct protobuf *to, const char *text, size_t len);

/* --- requests -------------------------------------------------------------------------- */

#define OTLP_TYPE "application/x-protobuf"
#define OTLP_REQUEST_LEN (1U << 20)	/* bytes: old servers take no more than 4 MiB */

/*
 * A request of any kind: the machine, the scope "ktrace", and between begin and end what is sent,
 * whose field is OTLP_ITEM.
 */
#define OTLP_ITEM 2
struct otlp_request {
	size_t resource, scope;
};
struct otlp_request otlp_request_begin(struct protobuf *to);
void otlp_request_end(struct protobuf *to, struct otlp_request request);

/* --- answers --------------------------------------------------------------------------- */

struct otlp_answer {
	uint64_t rejected;	/* how many items the server did not take, */
	char why[160];		/* and why */
};

/* Parses the body of an answer to a request that was taken. Returns false if it is nonsense. */
bool otlp_parse_success(struct otlp_answer *answer, const void *body, size_t len);
/* Sets answer->why from the body of another answer: its message, or its first line. */
void otlp_parse_failure(struct otlp_answer *answer, const void *body, size_t len);

#endif
