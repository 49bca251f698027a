// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>

#include "report/record_value.h"
#include "stream/machine.h"
#include "stream/otlp.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/plain.h"
#include "version.h"

/* --- values and attributes ------------------------------------------------------------- */

#define SHORT 100	/* bytes: all lengths in an attribute of it have one byte each */
#define SHORT_HEADS 8	/* bytes of tags and lengths in it */

/* Returns true if the attribute is short, and has room. */
static inline bool is_short(const struct protobuf *to, const struct otlp_key *key, size_t value_len)
{
	return key->len + value_len <= SHORT && to->len + SHORT + SHORT_HEADS <= to->room;
}

/* Begins a short attribute. Returns the place for its value. */
static inline unsigned char *begin_short(struct protobuf *to, const struct otlp_key *key)
{
	unsigned char *at = to->bytes + to->len;

	at[0] = key->field << 3 | PROTOBUF_DELIMITED;
	at[2] = OTLP_KEY << 3 | PROTOBUF_DELIMITED;
	at[3] = key->len;
	otlp_copy(at + 4, key->text, key->len);
	at += 4 + key->len;
	at[0] = OTLP_VALUE << 3 | PROTOBUF_DELIMITED;
	return at + 2;
}

static inline void end_short(struct protobuf *to, const unsigned char *value,
			     const unsigned char *end)
{
	unsigned char *begin = to->bytes + to->len;

	begin[1] = end - (begin + 2);
	to->bytes[value - 1 - to->bytes] = end - value;
	protobuf_end_at(to, end);
}

/* Not inline: most attributes are short, and their function then saves no registers. */
static __attribute__((noinline)) void put_any_int(struct protobuf *to, const struct otlp_key *key,
						  int64_t number)
{
	struct otlp_attribute attribute = otlp_begin(to, key);

	protobuf_put_number(to, OTLP_INT, number);
	otlp_end(to, attribute);
}

void otlp_put_int(struct protobuf *to, const struct otlp_key *key, int64_t number)
{
	unsigned char *value;

	if (!is_short(to, key, PROTOBUF_VARINT_LEN))
		return put_any_int(to, key, number);
	value = begin_short(to, key);
	value[0] = OTLP_INT << 3 | PROTOBUF_VARINT;
	end_short(to, value, protobuf_varint(value + 1, number));
}

void otlp_put_bool(struct protobuf *to, const struct otlp_key *key, bool is_true)
{
	struct otlp_attribute attribute = otlp_begin(to, key);

	protobuf_put_number(to, OTLP_BOOL, is_true);
	otlp_end(to, attribute);
}

void otlp_put_large(struct protobuf *to, const struct otlp_key *key, uint64_t number)
{
	char text[24];

	otlp_put_text(to, key, text, snprintf(text, sizeof(text), "%llu",
					      (unsigned long long)number));
}

#define HIGH_BITS 0x8080808080808080ULL

static bool is_ascii(const char *text, size_t len)
{
	uint64_t word, all = 0;

	for (; len >= sizeof(word); text += sizeof(word), len -= sizeof(word)) {
		memcpy(&word, text, sizeof(word));
		all |= word;
	}
	while (len--)
		all |= (unsigned char)text[len];
	return !(all & HIGH_BITS);
}

/* Returns the text as UTF-8. The caller frees *copy. */
static const char *utf8_of(const char *text, size_t *len, char **copy)
{
	*copy = NULL;
	if (is_ascii(text, *len))
		return text;
	*copy = value_utf8(text, len);
	return *copy;
}

static __attribute__((noinline)) void put_any_text(struct protobuf *to, const struct otlp_key *key,
						   const char *text, size_t len)
{
	struct otlp_attribute attribute = otlp_begin(to, key);

	otlp_put_utf8(to, OTLP_STRING, text, len);
	otlp_end(to, attribute);
}

void otlp_put_text(struct protobuf *to, const struct otlp_key *key, const char *text, size_t len)
{
	unsigned char *value;

	if (!is_short(to, key, len))
		return put_any_text(to, key, text, len);
	value = begin_short(to, key);
	value[0] = OTLP_STRING << 3 | PROTOBUF_DELIMITED;
	value[1] = len;
	if (!otlp_copy(value + 2, text, len))
		return put_any_text(to, key, text, len);
	end_short(to, value, value + 2 + len);
}

void otlp_put_utf8(struct protobuf *to, unsigned int field, const char *text, size_t len)
{
	char *copy;

	text = utf8_of(text, &len, &copy);
	protobuf_put_bytes(to, field, text, len);
	free(copy);
}

void otlp_add_utf8(struct protobuf *to, const char *text, size_t len)
{
	char *copy;

	if (otlp_copy(protobuf_room(to, len), text, len)) {
		to->len += len;
		return;
	}
	text = utf8_of(text, &len, &copy);
	protobuf_put(to, text, len);
	free(copy);
}

struct otlp_attribute otlp_begin(struct protobuf *to, const struct otlp_key *key)
{
	struct otlp_attribute at = { .attribute = protobuf_begin(to, key->field) };

	protobuf_put_bytes(to, OTLP_KEY, key->text, key->len);
	at.value = protobuf_begin(to, OTLP_VALUE);
	return at;
}

void otlp_end(struct protobuf *to, struct otlp_attribute at)
{
	protobuf_end(to, at.value);
	protobuf_end(to, at.attribute);
}

/* --- requests -------------------------------------------------------------------------- */

/* Numbers of fields, by message; they are the same for logs, spans and metrics. */
enum { REQUEST_RESOURCE_ITEMS = 1 };
enum { RESOURCE = 1, SCOPE_ITEMS };
enum { RESOURCE_ATTRIBUTES = 1 };
enum { SCOPE = 1 };
enum { SCOPE_NAME = 1, SCOPE_VERSION };

static void put_text(struct protobuf *to, const char *name, const char *text)
{
	const struct otlp_key key = { RESOURCE_ATTRIBUTES, name, strlen(name) };

	otlp_put_text(to, &key, text, strlen(text));
}

static void put_resource(struct protobuf *to)
{
	struct machine *machine = machine_find();
	char *instance = mem_format("%s:%s", machine->host, machine->boot), id[64] = "";
	size_t resource = protobuf_begin(to, RESOURCE);
	struct utsname system;

	put_text(to, "service.name", "ktrace");
	put_text(to, "service.version", KTRACE_VERSION);
	put_text(to, "service.instance.id", instance);
	put_text(to, "host.name", machine->host);
	if (line_read(id, sizeof(id), "/etc/machine-id"))
		put_text(to, "host.id", id);
	put_text(to, "os.type", "linux");
	if (!uname(&system))
		put_text(to, "os.version", system.release);
	put_text(to, "ktrace.boot.id", machine->boot);
	protobuf_end(to, resource);
	free(instance);
	machine_free(machine);
}

struct otlp_request otlp_request_begin(struct protobuf *to)
{
	struct otlp_request request;
	size_t scope;

	request.resource = protobuf_begin(to, REQUEST_RESOURCE_ITEMS);
	put_resource(to);
	request.scope = protobuf_begin(to, SCOPE_ITEMS);
	scope = protobuf_begin(to, SCOPE);
	protobuf_put_text(to, SCOPE_NAME, "ktrace");
	protobuf_put_text(to, SCOPE_VERSION, KTRACE_VERSION);
	protobuf_end(to, scope);
	return request;
}

void otlp_request_end(struct protobuf *to, struct otlp_request request)
{
	protobuf_end(to, request.scope);
	protobuf_end(to, request.resource);
}

/* --- answers --------------------------------------------------------------------------- */

enum { ANSWER_PARTIAL_SUCCESS = 1 };
enum { PARTIAL_REJECTED = 1, PARTIAL_MESSAGE };
enum { STATUS_MESSAGE = 2 };	/* of google.rpc.Status, the body of a failure */

static void set_why(struct otlp_answer *answer, const void *text, size_t len)
{
	const char *end = memchr(text, '\n', len);

	snprintf(answer->why, sizeof(answer->why), "%.*s",
		 (int)(end ? end - (const char *)text : (ssize_t)len), (const char *)text);
	answer->why[strcspn(answer->why, "\r")] = 0;
}

static bool parse_partial(struct otlp_answer *answer, const unsigned char *at, size_t len)
{
	const unsigned char *end = at + len;
	struct protobuf_field field;
	int result;

	while ((result = protobuf_take(&at, end, &field)) > 0) {
		if (field.number == PARTIAL_REJECTED && field.wire == PROTOBUF_VARINT)
			answer->rejected = (int64_t)field.value > 0 ? field.value : 0;
		else if (field.number == PARTIAL_MESSAGE && field.wire == PROTOBUF_DELIMITED)
			set_why(answer, field.bytes, field.len);
	}
	return !result;
}

bool otlp_parse_success(struct otlp_answer *answer, const void *body, size_t len)
{
	const unsigned char *at = body, *end = at + len;
	struct protobuf_field field;
	int result;

	memset(answer, 0, sizeof(*answer));
	if (!len)
		return true;
	while ((result = protobuf_take(&at, end, &field)) > 0)
		if (field.number == ANSWER_PARTIAL_SUCCESS &&
		    (field.wire != PROTOBUF_DELIMITED ||
		     !parse_partial(answer, field.bytes, field.len)))
			return false;
	return !result;
}

void otlp_parse_failure(struct otlp_answer *answer, const void *body, size_t len)
{
	const unsigned char *at = body, *end = at + len;
	struct otlp_answer found = { .rejected = 0 };
	struct protobuf_field field;
	int result = 0;

	memset(answer, 0, sizeof(*answer));
	if (!len)
		return;
	while ((result = protobuf_take(&at, end, &field)) > 0)
		if (field.number == STATUS_MESSAGE && field.wire == PROTOBUF_DELIMITED)
			set_why(&found, field.bytes, field.len);
	if (!result && found.why[0])
		*answer = found;
	else
		set_why(answer, body, len);
}
