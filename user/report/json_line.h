/* SPDX-License-Identifier: GPL-2.0 */
/*
 * A line of JSON, written without a tree of objects, which would cost ten times as much. Values are
 * written as json_write.h does.
 */
#ifndef JSON_LINE_H
#define JSON_LINE_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#define JSON_LINE_LEN 2048

struct json_line {
	FILE *out;
	size_t len;
	char text[JSON_LINE_LEN];	/* what is not in the file yet */
};

/* Writes the text so far, and more text that there is no room for. */
void json_line_flush(struct json_line *line, const char *more, size_t len);

/* Returns a place for len bytes, at most JSON_LINE_LEN. The caller adds to line->len. */
static inline char *json_line_room(struct json_line *line, size_t len)
{
	if (len > JSON_LINE_LEN - line->len)
		json_line_flush(line, NULL, 0);
	return line->text + line->len;
}

/* Puts JSON as it is. Inline, because most texts are short and constant. */
static inline void json_line_put(struct json_line *line, const char *text, size_t len)
{
	if (len > JSON_LINE_LEN - line->len) {
		json_line_flush(line, text, len);
		return;
	}
	memcpy(line->text + line->len, text, len);
	line->len += len;
}

static inline void json_line_puts(struct json_line *line, const char *text)
{
	json_line_put(line, text, strlen(text));
}

void json_line_digits(struct json_line *line, uint64_t number);
void json_line_u64(struct json_line *line, uint64_t number);
void json_line_s64(struct json_line *line, int64_t number);
/* Puts a text such as "0x2a". */
void json_line_hex(struct json_line *line, uint64_t number);
void json_line_text(struct json_line *line, const char *text, size_t len);

#endif
