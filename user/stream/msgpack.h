/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Writes MessagePack, each value in its shortest form, and reads one kind of answer. Functions put
 * something at `to`, which has room for MSGPACK_LEN bytes, and return the end. They are inline
 * because most of them take fewer instructions than a call.
 */
#ifndef MSGPACK_H
#define MSGPACK_H

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define MSGPACK_LEN 10	/* of a number, a time, or a head */
#define MSGPACK_SECOND 1000000000

/* The first byte of a value. Short ones have their number or length in its lowest bits. */
enum {
	MSGPACK_SHORT_MAP = 0x80, MSGPACK_SHORT_ARRAY = 0x90, MSGPACK_SHORT_TEXT = 0xa0,
	MSGPACK_NIL = 0xc0, MSGPACK_TRUE = 0xc3, MSGPACK_FALSE = 0xc2, MSGPACK_BYTES_32 = 0xc6,
	MSGPACK_DOUBLE = 0xcb,
	MSGPACK_U8 = 0xcc, MSGPACK_U16, MSGPACK_U32, MSGPACK_U64,
	MSGPACK_S8, MSGPACK_S16, MSGPACK_S32, MSGPACK_S64, MSGPACK_EXT_8 = 0xd7,
	MSGPACK_TEXT_8 = 0xd9, MSGPACK_TEXT_16, MSGPACK_TEXT_32, MSGPACK_ARRAY_16, MSGPACK_ARRAY_32,
	MSGPACK_MAP_16, MSGPACK_MAP_32
};

/* --- numbers -------------------------------------------------------------- */

static inline char *msgpack_put_byte(char *to, unsigned int byte)
{
	*to = byte;
	return to + 1;
}

/* Puts the first byte, and the lowest bytes of a number, the highest of them first. */
static inline char *msgpack_put_number(char *to, unsigned int first, uint64_t number, size_t len)
{
	number = htobe64(number << (64 - 8 * len));
	*to = first;
	memcpy(to + 1, &number, sizeof(number));
	return to + 1 + len;
}

static inline char *msgpack_put_u64(char *to, uint64_t number)
{
	if (number < 0x80)
		return msgpack_put_byte(to, number);
	if (number <= UINT8_MAX)
		return msgpack_put_number(to, MSGPACK_U8, number, 1);
	if (number <= UINT16_MAX)
		return msgpack_put_number(to, MSGPACK_U16, number, 2);
	if (number <= UINT32_MAX)
		return msgpack_put_number(to, MSGPACK_U32, number, 4);
	return msgpack_put_number(to, MSGPACK_U64, number, 8);
}

static inline char *msgpack_put_s64(char *to, int64_t number)
{
	if (number >= 0)
		return msgpack_put_u64(to, number);
	if (number >= -32)
		return msgpack_put_byte(to, number);
	if (number >= INT8_MIN)
		return msgpack_put_number(to, MSGPACK_S8, number, 1);
	if (number >= INT16_MIN)
		return msgpack_put_number(to, MSGPACK_S16, number, 2);
	if (number >= INT32_MIN)
		return msgpack_put_number(to, MSGPACK_S32, number, 4);
	return msgpack_put_number(to, MSGPACK_S64, number, 8);
}

/* Puts an EventTime of the Fluent forward protocol. */
static inline char *msgpack_put_time(char *to, uint64_t realtime)
{
	*to++ = (char)MSGPACK_EXT_8;
	realtime = realtime / MSGPACK_SECOND << 32 | realtime % MSGPACK_SECOND;
	return msgpack_put_number(to, 0, realtime, 8);
}

/* --- others --------------------------------------------------------------- */

static inline char *msgpack_put_null(char *to)
{
	return msgpack_put_byte(to, MSGPACK_NIL);
}

static inline char *msgpack_put_bool(char *to, bool is_true)
{
	return msgpack_put_byte(to, is_true ? MSGPACK_TRUE : MSGPACK_FALSE);
}

static inline char *msgpack_put_double(char *to, double number)
{
	uint64_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return msgpack_put_number(to, MSGPACK_DOUBLE, bits, 8);
}

/* Heads: behind them, the caller puts that many bytes, elements, or pairs of a key and a value. */
static inline char *msgpack_put_text_head(char *to, size_t len)
{
	if (len < 32)
		return msgpack_put_byte(to, MSGPACK_SHORT_TEXT | len);
	if (len <= UINT8_MAX)
		return msgpack_put_number(to, MSGPACK_TEXT_8, len, 1);
	if (len <= UINT16_MAX)
		return msgpack_put_number(to, MSGPACK_TEXT_16, len, 2);
	return msgpack_put_number(to, MSGPACK_TEXT_32, len, 4);
}

/* Puts a constant text of at most 31 bytes, for which there must be room, too. */
static inline char *msgpack_put_word(char *to, const char *word)
{
	size_t len = strlen(word);

	return (char *)memcpy(msgpack_put_byte(to, MSGPACK_SHORT_TEXT | len), word, len) + len;
}

static inline char *msgpack_put_bytes_head(char *to, uint32_t len)
{
	return msgpack_put_number(to, MSGPACK_BYTES_32, len, 4);
}

/* Puts the head of an array or map: their first bytes have the same distances. */
static inline char *msgpack_put_head(char *to, unsigned int short_head, unsigned int head_16,
				     uint32_t nr)
{
	if (nr < 16)
		return msgpack_put_byte(to, short_head | nr);
	if (nr <= UINT16_MAX)
		return msgpack_put_number(to, head_16, nr, 2);
	return msgpack_put_number(to, head_16 + 1, nr, 4);
}

static inline char *msgpack_put_array_head(char *to, uint32_t nr)
{
	return msgpack_put_head(to, MSGPACK_SHORT_ARRAY, MSGPACK_ARRAY_16, nr);
}

static inline char *msgpack_put_map_head(char *to, uint32_t nr)
{
	return msgpack_put_head(to, MSGPACK_SHORT_MAP, MSGPACK_MAP_16, nr);
}

/* --- answers -------------------------------------------------------------- */

/*
 * Reads {key: text}. Returns its length, and points *text to text_len bytes in it; 0 if more bytes
 * must come; -1 if it is something else.
 */
int msgpack_read_pair(const char *bytes, size_t len, const char *key, const char **text,
		      size_t *text_len);

#endif
