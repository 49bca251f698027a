// SPDX-License-Identifier: GPL-2.0
#include <endian.h>
#include <string.h>

#include "util/mem.h"
#include "util/protobuf.h"

/* --- writing ------------------------------------------------------------------------- */

void protobuf_make_room(struct protobuf *to, size_t len)
{
	to->room = 2 * (to->len + len);
	to->bytes = mem_resize(to->bytes, to->room);
}

void protobuf_put(struct protobuf *to, const void *bytes, size_t len)
{
	if (!len)
		return;
	memcpy(protobuf_room(to, len), bytes, len);
	to->len += len;
}

void protobuf_put_varint(struct protobuf *to, uint64_t number)
{
	protobuf_end_at(to, protobuf_varint(protobuf_room(to, PROTOBUF_VARINT_LEN), number));
}

void protobuf_put_number(struct protobuf *to, unsigned int field, uint64_t number)
{
	unsigned char *at = protobuf_room(to, PROTOBUF_TAG_LEN + PROTOBUF_VARINT_LEN);

	protobuf_end_at(to, protobuf_varint(protobuf_tag(at, field, PROTOBUF_VARINT), number));
}

/* Small numbers of both signs become small ones: 0, -1, 1, -2. */
void protobuf_put_signed(struct protobuf *to, unsigned int field, int64_t number)
{
	protobuf_put_number(to, field, (uint64_t)number << 1 ^ (number < 0 ? ~0ULL : 0));
}

void protobuf_put_fixed(struct protobuf *to, unsigned int field, uint64_t number)
{
	unsigned char *at = protobuf_room(to, PROTOBUF_TAG_LEN + sizeof(number));

	at = protobuf_tag(at, field, PROTOBUF_FIXED64);
	number = htole64(number);
	memcpy(at, &number, sizeof(number));
	protobuf_end_at(to, at + sizeof(number));
}

void protobuf_put_double(struct protobuf *to, unsigned int field, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	protobuf_put_fixed(to, field, bits);
}

void protobuf_put_text(struct protobuf *to, unsigned int field, const char *text)
{
	protobuf_put_bytes(to, field, text, strlen(text));
}

void protobuf_put_bytes(struct protobuf *to, unsigned int field, const void *bytes, size_t len)
{
	unsigned char *at = protobuf_room(to, PROTOBUF_TAG_LEN + PROTOBUF_VARINT_LEN);

	protobuf_end_at(to, protobuf_varint(protobuf_tag(at, field, PROTOBUF_DELIMITED), len));
	protobuf_put(to, bytes, len);
}

void protobuf_end_long(struct protobuf *to, size_t begin, size_t len)
{
	unsigned char bytes[PROTOBUF_VARINT_LEN];
	size_t more = protobuf_varint(bytes, len) - bytes - 1;
	unsigned char *at;

	protobuf_room(to, more);
	at = to->bytes + begin;
	memmove(at + more, at, len);
	memcpy(at - 1, bytes, more + 1);
	to->len += more;
}

void protobuf_write(FILE *out, const struct protobuf *message)
{
	fwrite_unlocked(message->bytes, 1, message->len, out);
}

/* --- reading ------------------------------------------------------------------------- */

static bool take_varint(const unsigned char **at, const unsigned char *end, uint64_t *number)
{
	int shift;

	*number = 0;
	for (shift = 0; *at < end && shift < 7 * PROTOBUF_VARINT_LEN; shift += 7) {
		*number |= (uint64_t)(**at & 0x7f) << shift;
		if (!(*(*at)++ & 0x80))
			return true;
	}
	return false;
}

static bool take_fixed(const unsigned char **at, const unsigned char *end, size_t len,
		       uint64_t *number)
{
	size_t i;

	if ((size_t)(end - *at) < len)
		return false;
	*number = 0;
	for (i = 0; i < len; i++)
		*number |= (uint64_t)(*at)[i] << 8 * i;
	*at += len;
	return true;
}

static bool take_value(const unsigned char **at, const unsigned char *end,
		       struct protobuf_field *field)
{
	switch (field->wire) {
	case PROTOBUF_VARINT:
		return take_varint(at, end, &field->value);
	case PROTOBUF_DELIMITED:
		if (!take_varint(at, end, &field->value) || field->value > (uint64_t)(end - *at))
			return false;
		field->bytes = *at;
		field->len = field->value;
		*at += field->len;
		return true;
	case PROTOBUF_FIXED64:
	case PROTOBUF_FIXED32:
		return take_fixed(at, end, field->wire == PROTOBUF_FIXED64 ? 8 : 4, &field->value);
	}
	return false;
}

int protobuf_take(const unsigned char **at, const unsigned char *end, struct protobuf_field *field)
{
	uint64_t tag;

	memset(field, 0, sizeof(*field));
	if (*at == end)
		return 0;
	if (!take_varint(at, end, &tag))
		return -1;
	field->number = tag >> 3;
	field->wire = tag & 7;
	return field->number && take_value(at, end, field) ? 1 : -1;
}
