/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line of JSON, written without a tree of objects, which would cost ten times as much. Values are
 * written as json_write.h does. Functions put something at `to`, and return the end.
 */
#ifndef JSON_LINE_H
#define JSON_LINE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define JSON_LINE_LEN 4096
#define JSON_LINE_ROOM 1024	/* for all members of a record that are no text, with their names */

struct json_line {
	FILE *out;
	char text[JSON_LINE_LEN];	/* what is not in the file yet */
};

/* Returns true if there is room for a text of this length, and for what may follow it. */
static inline bool json_has_room(const struct json_line *line, const char *to, size_t len)
{
	return (size_t)(line->text + JSON_LINE_LEN - to) >= len + JSON_LINE_ROOM;
}

/* Writes all text before `to`. Returns the begin of the room. */
char *json_line_flush(struct json_line *line, const char *to);

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

/* Puts a text such as "0x2a". */
char *json_put_hex(char *to, uint64_t number);
/* Puts bytes as they are, behind which there is JSON_LINE_ROOM again: for lines in other formats. */
char *json_put_bytes(struct json_line *line, char *to, const char *bytes, size_t len);
/* Puts a text, behind which there is JSON_LINE_ROOM again. */
char *json_put_text(struct json_line *line, char *to, const char *text, size_t len);

#endif
