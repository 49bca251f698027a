/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TEXT_COPY_H
#define TEXT_COPY_H

#include <emmintrin.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

/* Sixteen bytes. A comparison sets all bits of each byte for which it is true. */
typedef signed char text_bytes __attribute__((vector_size(16)));

#define EACH(byte) ((text_bytes)_mm_set1_epi8(byte))

#define TEXT_FILL 0x3030303030303030ULL	/* zeros stand where a word has no bytes of the text */

/* Returns a bit for each byte whose highest bit is set: the lowest one for the first byte. */
static inline unsigned int text_marked(text_bytes bytes)
{
	return _mm_movemask_epi8((__m128i)bytes);
}

static inline text_bytes text_words(uint64_t first, uint64_t second)
{
	return (text_bytes)_mm_set_epi64x(second, first);
}

/* Copies up to 3 bytes, the first, middle and last one. Returns them and the fill. */
static inline text_bytes text_copy_bytes(char *to, const char *from, size_t len)
{
	unsigned char first, middle, last;

	if (!len)
		return text_words(TEXT_FILL, TEXT_FILL);
	first = from[0];
	middle = from[len / 2];
	last = from[len - 1];
	to[0] = first;
	to[len / 2] = middle;
	to[len - 1] = last;
	return text_words(TEXT_FILL << 24 | first << 16 | middle << 8 | last, TEXT_FILL);
}

/* The same for 4 to 7 bytes, as two words that may overlap. */
static inline text_bytes text_copy_short(char *to, const char *from, size_t len)
{
	uint32_t first, last;

	memcpy(&first, from, sizeof(first));
	memcpy(&last, from + len - sizeof(last), sizeof(last));
	memcpy(to, &first, sizeof(first));
	memcpy(to + len - sizeof(last), &last, sizeof(last));
	return text_words((uint64_t)last << 32 | first, TEXT_FILL);
}

/* The same for 8 to 15 bytes. */
static inline text_bytes text_copy_long(char *to, const char *from, size_t len)
{
	uint64_t first, last;

	memcpy(&first, from, sizeof(first));
	memcpy(&last, from + len - sizeof(last), sizeof(last));
	memcpy(to, &first, sizeof(first));
	memcpy(to + len - sizeof(last), &last, sizeof(last));
	return text_words(first, last);
}

/*
 * Copies a text. Returns false if one of its bytes is marked: the highest bit of that byte is set
 * in what marks_of() returns. A zero is never marked.
 */
static inline __attribute__((always_inline)) bool text_copy(char *to, const char *from, size_t len,
							    text_bytes (*marks_of)(text_bytes))
{
	text_bytes marks = { 0 }, bytes;
	size_t at;

	if (len < 16)
		marks = marks_of(len < 4 ? text_copy_bytes(to, from, len) :
				 len < 8 ? text_copy_short(to, from, len) :
				 text_copy_long(to, from, len));
	for (at = 0; len >= 16 && at < len; at += sizeof(bytes)) {
		at = at < len - sizeof(bytes) ? at : len - sizeof(bytes);
		memcpy(&bytes, from + at, sizeof(bytes));
		memcpy(to + at, &bytes, sizeof(bytes));
		marks |= marks_of(bytes);
	}
	return !text_marked(marks);
}

#endif
