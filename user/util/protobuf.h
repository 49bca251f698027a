/* SPDX-License-Identifier: GPL-2.0 */
/* Writes messages of Protocol Buffers into memory, and reads them. */
#ifndef PROTOBUF_H
#define PROTOBUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#define PROTOBUF_VARINT_LEN 10	/* bytes at most */
#define PROTOBUF_TAG_LEN 5

/* The kinds of fields on the wire. */
enum protobuf_wire {
	PROTOBUF_VARINT = 0, PROTOBUF_FIXED64 = 1, PROTOBUF_DELIMITED = 2, PROTOBUF_FIXED32 = 5
};

/* --- writing ------------------------------------------------------------------------- */

/* All members are 0 at first; the caller frees bytes. */
struct protobuf {
	unsigned char *bytes;
	size_t len, room;
};

/* Appends bytes as they are. */
void protobuf_put(struct protobuf *to, const void *bytes, size_t len);
void protobuf_put_varint(struct protobuf *to, uint64_t number);
/* Put a field: uint64 or enum, sint64, fixed64, double, string, and bytes. */
void protobuf_put_number(struct protobuf *to, unsigned int field, uint64_t number);
void protobuf_put_signed(struct protobuf *to, unsigned int field, int64_t number);
void protobuf_put_fixed(struct protobuf *to, unsigned int field, uint64_t number);
void protobuf_put_double(struct protobuf *to, unsigned int field, double number);
void protobuf_put_text(struct protobuf *to, unsigned int field, const char *text);
void protobuf_put_bytes(struct protobuf *to, unsigned int field, const void *bytes, size_t len);

/* Writes all bytes to a file. */
void protobuf_write(FILE *out, const struct protobuf *message);

void protobuf_make_room(struct protobuf *to, size_t len);

/* Returns the end, behind which the caller may write len bytes, up to protobuf_end_at(). */
static inline unsigned char *protobuf_room(struct protobuf *to, size_t len)
{
	if (to->len + len > to->room)
		protobuf_make_room(to, len);
	return to->bytes + to->len;
}

static inline void protobuf_end_at(struct protobuf *to, const unsigned char *end)
{
	to->len = end - to->bytes;
}

/* Puts a varint at a place with room. Returns its end. */
static inline unsigned char *protobuf_varint(unsigned char *to, uint64_t number)
{
	for (; number > 0x7f; number >>= 7)
		*to++ = number | 0x80;
	*to++ = number;
	return to;
}

static inline unsigned char *protobuf_tag(unsigned char *to, unsigned int field,
					  enum protobuf_wire wire)
{
	return protobuf_varint(to, field << 3 | wire);
}

/*
 * An inner message, whose length comes first: the fields between begin and end belong to it. begin
 * returns what end takes. Field 0: a message of its own, behind its length. Most lengths have one
 * byte, which is kept free.
 */
static inline size_t protobuf_begin(struct protobuf *to, unsigned int field)
{
	unsigned char *at = protobuf_room(to, PROTOBUF_TAG_LEN + 1);

	if (field)
		at = protobuf_tag(at, field, PROTOBUF_DELIMITED);
	protobuf_end_at(to, at + 1);
	return to->len;
}

void protobuf_end_long(struct protobuf *to, size_t begin, size_t len);

static inline void protobuf_end(struct protobuf *to, size_t begin)
{
	size_t len = to->len - begin;

	if (len > 0x7f)
		protobuf_end_long(to, begin, len);
	else
		to->bytes[begin - 1] = len;
}

/* --- reading ------------------------------------------------------------------------- */

struct protobuf_field {
	uint64_t number;	/* of the field */
	enum protobuf_wire wire;
	uint64_t value;		/* an integer of any kind */
	const unsigned char *bytes;	/* DELIMITED */
	size_t len;
};

/*
 * Takes the first field between *at and end, and moves *at behind it. Returns 1, 0 at the end, or
 * -1 if there is no valid field.
 */
int protobuf_take(const unsigned char **at, const unsigned char *end, struct protobuf_field *field);

#endif
