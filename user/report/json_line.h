/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line of JSON, written without a tree of objects, which would cost ten times as much. Values are
 * written as json_write.h does. Functions put something at `to`, and return the end. They never read
 * what they have put: the memory may be shared with a process that changes it.
 */
#ifndef JSON_LINE_H
#define JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

/* Bytes behind the limit, for what is put without a check: all members that are no text */
#define JSON_LINE_SLACK 4096

struct json_line {
	char *begin;
	const char *limit;	/* of its text; JSON_LINE_SLACK more bytes are there */
	FILE *out;	/* gets what has no room; NULL: a line without room is too long, and is lost */
	bool is_lost;
};

/* Returns true if there is room for a text of this length. */
static inline bool json_has_room(const struct json_line *line, const char *to, size_t len)
{
	return (ptrdiff_t)len <= line->limit - to;
}

/* Makes room: takes what is before `to` out of the line. Returns the begin of the room. */
char *json_line_flush(struct json_line *line, const char *to);
/* Returns true if the line, which ends at `to`, fits. */
static inline bool json_line_fits(const struct json_line *line, const char *to)
{
	return !line->is_lost && to <= line->limit;
}

/* Puts a constant text as it is. */
static inline char *json_put(char *to, const char *text)
{
	size_t len = strlen(text);

	return (char *)memcpy(to, text, len) + len;
}

char *json_put_u64(char *to, uint64_t number);
char *json_put_s64(char *to, int64_t number);
/* The same without quotation marks, which JSON has around numbers above 2^53. */
char *json_put_bare_u64(char *to, uint64_t number);
char *json_put_bare_s64(char *to, int64_t number);
/* Puts MAJOR:MINOR. */
static inline char *json_put_dev(char *to, uint32_t dev)
{
	return json_put_u64(json_put(json_put_u64(to, dev >> 20), ":"), dev & 0xfffff);
}

/* Puts 0x2a. */
char *json_put_bare_hex(char *to, uint64_t number);
/* The same with quotation marks. */
static inline char *json_put_hex(char *to, uint64_t number)
{
	return json_put(json_put_bare_hex(json_put(to, "\""), number), "\"");
}

/* Puts bytes as they are: for lines in other formats. */
char *json_put_bytes(struct json_line *line, char *to, const char *bytes, size_t len);
/* Puts a text. */
char *json_put_text(struct json_line *line, char *to, const char *text, size_t len);

#endif
