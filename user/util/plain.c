// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/mem.h"
#include "util/plain.h"

/* --- characters ----------------------------------------------------------- */

/* Returns the length of the UTF-8 character at the start, or 0 if there is none. */
static size_t decode(const unsigned char *at, size_t left, uint32_t *code)
{
	static const uint32_t firsts[] = { 0, 0, 0x80, 0x800, 0x10000 };
	size_t len = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 :
		     at[0] < 0xf5 ? 4 : 0, i;

	if (!len || len > left)
		return 0;
	*code = len == 1 ? at[0] : at[0] & (0x7f >> len);
	for (i = 1; i < len; i++) {
		if ((at[i] & 0xc0) != 0x80)
			return 0;
		*code = *code << 6 | (at[i] & 0x3f);
	}
	if (*code < firsts[len] || (*code >= 0xd800 && *code < 0xe000) || *code > 0x10ffff)
		return 0;
	return len;
}

static bool is_control(uint32_t code)
{
	return code < 0x20 || (code >= 0x7f && code < 0xa0);
}

/* Unicode's Bidi_Control, the separators of lines and paragraphs, and what XML excludes. */
static bool is_steering(uint32_t code)
{
	return code == 0x61c || code == 0x200e || code == 0x200f ||
	       (code >= 0x2028 && code <= 0x202e) || (code >= 0x2066 && code <= 0x2069) ||
	       code == 0xfffe || code == 0xffff;
}

size_t plain_char_len(const unsigned char *at, size_t left)
{
	uint32_t code;
	size_t len = decode(at, left, &code);

	return len && !is_control(code) && !is_steering(code) ? len : 0;
}

size_t plain_utf8_len(const unsigned char *at, size_t left)
{
	uint32_t code;

	return decode(at, left, &code);
}

/* --- text ----------------------------------------------------------------- */

/* All escaped characters are below U+10000. */
size_t plain_escape(char to[PLAIN_ESCAPE_LEN], const unsigned char *at, size_t left)
{
	uint32_t code;
	size_t len = decode(at, left, &code);

	if (len > 1)
		snprintf(to, PLAIN_ESCAPE_LEN, "\\u%04x", code & 0xffff);
	else
		snprintf(to, PLAIN_ESCAPE_LEN, "\\x%02x", at[0]);
	return len ? len : 1;
}

/* Returns how many bytes at the start need no escape. */
static size_t plain_len(const unsigned char *at, size_t left)
{
	size_t len = 0, n;

	while (len < left && (n = plain_char_len(at + len, left - len)))
		len += n;
	return len;
}

void plain_put(FILE *out, const char *text, size_t len)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + len;
	char escaped[PLAIN_ESCAPE_LEN];
	size_t n;

	while (at < end) {
		n = plain_len(at, end - at);
		fwrite(at, 1, n, out);
		at += n;
		if (at == end)
			break;
		at += plain_escape(escaped, at, end - at);
		fputs(escaped, out);
	}
}

char *plain_text(const char *text)
{
	char *plain = NULL;
	size_t len;
	FILE *out = open_memstream(&plain, &len);

	if (!out)
		return mem_string("");
	plain_put(out, text, strlen(text));
	fclose(out);
	return plain;
}

/* Returns the length in bytes of the character at the start; *columns: its width on the screen. */
static size_t step(const unsigned char *at, size_t left, size_t *columns)
{
	char escaped[PLAIN_ESCAPE_LEN];
	size_t n = plain_char_len(at, left);

	if (n) {
		*columns = 1;
		return n;
	}
	n = plain_escape(escaped, at, left);
	*columns = strlen(escaped);
	return n;
}

size_t plain_columns(const char *text, size_t len)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + len;
	size_t nr = 0, columns;

	for (; at < end; nr += columns)
		at += step(at, end - at, &columns);
	return nr;
}

char *plain_cut(const char *text, size_t columns)
{
	size_t len = strlen(text), all = plain_columns(text, len), at = 0, own, head, tail;
	size_t room = columns > 3 ? columns - 3 : 0, seen = 0, end;
	const unsigned char *bytes = (const unsigned char *)text;

	if (all <= columns)
		return mem_string(text);
	for (head = 0; at < len; at += own) {
		own = step(bytes + at, len - at, &tail);
		if (seen + tail > (room + 1) / 2)
			break;
		seen += tail;
		head = at + own;
	}
	for (end = head; end < len && all - seen > room - (room + 1) / 2; end += own) {
		own = step(bytes + end, len - end, &tail);
		seen += tail;
	}
	return mem_format("%.*s%.*s%s", (int)head, text, columns > 3 ? 3 : (int)columns, "...", text + end);
}
