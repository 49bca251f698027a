/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TEXT_COPY_H
#define TEXT_COPY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#define EACH(byte) (0x0101010101010101ULL * (byte))	/* of eight bytes */

typedef uint64_t text_words __attribute__((vector_size(16)));

/* Fills the upper half of each word, which has no bytes of the text, with blanks. */
static inline text_words text_halves(uint64_t first, uint64_t second)
{
	return (text_words){ first, second } | (text_words){ EACH(' ') << 32, EACH(' ') << 32 };
}

/* Copies up to 3 bytes, the first, middle and last one. Returns them as words. */
static inline text_words text_copy_bytes(char *to, const char *from, size_t len)
{
	unsigned char first, middle, last;

	if (!len)
		return (text_words){ EACH(' '), EACH(' ') };
	first = from[0];
	middle = from[len / 2];
	last = from[len - 1];
	to[0] = first;
	to[len / 2] = middle;
	to[len - 1] = last;
	return (text_words){ EACH(' ') << 24 | first << 16 | middle << 8 | last, EACH(' ') };
}

/* The same for 4 to 7 bytes, as two words that may overlap. */
static inline text_words text_copy_short(char *to, const char *from, size_t len)
{
	uint32_t first, last;

	memcpy(&first, from, sizeof(first));
	memcpy(&last, from + len - sizeof(last), sizeof(last));
	memcpy(to, &first, sizeof(first));
	memcpy(to + len - sizeof(last), &last, sizeof(last));
	return text_halves(first, last);
}

/* The same for 8 to 15 bytes. */
static inline text_words text_copy_long(char *to, const char *from, size_t len)
{
	uint64_t first, last;

	memcpy(&first, from, sizeof(first));
	memcpy(&last, from + len - sizeof(last), sizeof(last));
	memcpy(to, &first, sizeof(first));
	memcpy(to + len - sizeof(last), &last, sizeof(last));
	return (text_words){ first, last };
}

/*
 * Copies a text. Returns false if one of its bytes is marked: marks_of
 * returns words in which the highest bit of a byte is set if one of the bytes is marked.
 */
static inline __attribute__((always_inline)) bool text_copy(char *to, const char *from, size_t len,
							    text_words (*marks_of)(text_words))
{
	text_words marks = { 0 }, bytes;
	size_t at;

	if (len < 16)
		marks = marks_of(len < 4 ? text_copy_bytes(to, from, len) : len < 8 ? text_copy_short(to, from, len) :
				 text_copy_long(to, from, len));
	for (at = 0; len >= 16 && at < len; at += sizeof(bytes)) {
		at = at < len - sizeof(bytes) ? at : len - sizeof(bytes);
		memcpy(&bytes, from + at, sizeof(bytes));
		memcpy(to + at, &bytes, sizeof(bytes));
		marks |= marks_of(bytes);
	}
	return !((marks[0] | marks[1]) & EACH(0x80));
}

#endif
