// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>

#include "report/json_line.h"
#include "report/json_write.h"
#include "util/plain.h"

void json_line_flush(struct json_line *line, const char *more, size_t len)
{
	fwrite(line->text, 1, line->len, line->out);
	if (len)
		fwrite(more, 1, len, line->out);
	line->len = 0;
}

#define DIGITS 20	/* of 2^64 */

/* --- numbers -------------------------------------------------------------- */

void json_line_digits(struct json_line *line, uint64_t number)
{
	static const char pairs[] =
		"00010203040506070809101112131415161718192021222324252627282930313233343536373839"
		"40414243444546474849505152535455565758596061626364656667686970717273747576777879"
		"8081828384858687888990919293949596979899";
	char text[2 * DIGITS], *end = text + DIGITS, *at = end;

	for (; number >= 100; number /= 100)
		memcpy(at -= 2, pairs + 2 * (number % 100), 2);
	if (number >= 10)
		memcpy(at -= 2, pairs + 2 * number, 2);
	else
		*--at = '0' + number;
	/* A copy of constant length takes fewer instructions. */
	memcpy(json_line_room(line, DIGITS), at, DIGITS);
	line->len += end - at;
}

static void put_quoted(struct json_line *line, const char *sign, uint64_t number)
{
	json_line_puts(line, sign);
	json_line_digits(line, number);
	json_line_puts(line, "\"");
}

void json_line_u64(struct json_line *line, uint64_t number)
{
	if (number <= JSON_EXACT)
		json_line_digits(line, number);
	else
		put_quoted(line, "\"", number);
}

void json_line_s64(struct json_line *line, int64_t number)
{
	if (number >= 0) {
		json_line_u64(line, number);
	} else if (number < -JSON_EXACT) {
		put_quoted(line, "\"-", -(uint64_t)number);
	} else {
		json_line_puts(line, "-");
		json_line_digits(line, -number);
	}
}

void json_line_hex(struct json_line *line, uint64_t number)
{
	char text[16], *end = text + sizeof(text), *at = end;

	do
		*--at = "0123456789abcdef"[number & 15];
	while (number >>= 4);
	json_line_puts(line, "\"0x");
	json_line_put(line, at, end - at);
	json_line_puts(line, "\"");
}

/* --- text ----------------------------------------------------------------- */

/* ASCII without controls, quotation marks and backslashes. */
static const bool is_plain[UINT8_MAX + 1] = {
	[' '] = true, ['!'] = true, ['#' ... '['] = true, [']' ... '~'] = true,
};

/* Puts a character that is not plain ASCII. Returns its length. */
static size_t put_special(struct json_line *line, const unsigned char *at, size_t left)
{
	static const char specials[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *special = *at ? strchr(specials, *at) : NULL;
	char escaped[PLAIN_ESCAPE_LEN] = "\\";
	size_t len = plain_char_len(at, left);

	if (special) {
		escaped[1] = letters[special - specials];
		json_line_put(line, escaped, 2);
		return 1;
	}
	if (len) {
		json_line_put(line, (const char *)at, len);
		return len;
	}
	len = json_escape(escaped, at, left);
	json_line_puts(line, escaped);
	return len;
}

void json_line_text(struct json_line *line, const char *text, size_t len)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + len, *from;

	json_line_puts(line, "\"");
	while (at < end) {
		for (from = at; at < end && is_plain[*at]; at++)
			;
		json_line_put(line, (const char *)from, at - from);
		if (at < end)
			at += put_special(line, at, end - at);
	}
	json_line_puts(line, "\"");
}
