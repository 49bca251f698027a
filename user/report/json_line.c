// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>

#include "report/digits.h"
#include "report/json_line.h"
#include "report/json_write.h"
#include "report/text_copy.h"
#include "util/plain.h"

char *json_line_flush(struct json_line *line, const char *to)
{
	if (line->out)
		fwrite_unlocked(line->begin, 1, to - line->begin, line->out);
	else
		line->is_lost = true;
	return line->begin;
}

/* --- numbers -------------------------------------------------------------- */

/* Puts a number of any length. */
static char *put_long(char *to, uint64_t number)
{
	uint64_t high = number / DIGITS_EIGHT;

	to = high < DIGITS_EIGHT ? digits_put_short(to, high) : put_long(to, high);
	return digits_put_all(to, number % DIGITS_EIGHT);
}

/* quote: what is put around a number that a double cannot represent. */
static inline __attribute__((always_inline)) char *put_u64(char *to, uint64_t number,
							   const char *quote)
{
	if (number - 10 < DIGITS_EIGHT - 10)	/* most numbers */
		return digits_put_short(to, number);
	if (number < 10) {
		*to = '0' + number;
		return to + 1;
	}
	if (number <= JSON_EXACT)	/* of at most 16 digits */
		return digits_put_all(digits_put_short(to, number / DIGITS_EIGHT),
				      number % DIGITS_EIGHT);
	return json_put(put_long(json_put(to, quote), number), quote);
}

char *json_put_u64(char *to, uint64_t number)
{
	return put_u64(to, number, "\"");
}

char *json_put_bare_u64(char *to, uint64_t number)
{
	return put_u64(to, number, "");
}

char *json_put_s64(char *to, int64_t number)
{
	if (number >= 0)
		return json_put_u64(to, number);
	if (number >= -JSON_EXACT)
		return json_put_u64(json_put(to, "-"), -number);
	return json_put(put_long(json_put(to, "\"-"), -(uint64_t)number), "\"");
}

char *json_put_bare_s64(char *to, int64_t number)
{
	if (number >= 0)
		return json_put_bare_u64(to, number);
	return json_put_bare_u64(json_put(to, "-"), -(uint64_t)number);
}

char *json_put_bare_hex(char *to, uint64_t number)
{
	int shift = number ? (63 - __builtin_clzll(number)) & ~3 : 0;

	to = json_put(to, "0x");
	for (; shift >= 0; shift -= 4)
		*to++ = "0123456789abcdef"[number >> shift & 15];
	return to;
}

/* --- text ----------------------------------------------------------------- */

/* Returns true for ASCII without controls, quotation marks and backslashes. */
static bool is_plain(unsigned char byte)
{
	return byte >= ' ' && byte <= '~' && byte != '"' && byte != '\\';
}

/* Puts a character that is not plain. Returns its length. */
static size_t put_special(char **to, const unsigned char *at, size_t left)
{
	static const char specials[] = "\"\\\b\f\n\r\t", letters[] = "\"\\bfnrt";
	const char *special = *at ? strchr(specials, *at) : NULL;
	char escaped[PLAIN_ESCAPE_LEN] = "\\";
	size_t len = special ? 0 : plain_char_len(at, left);

	if (len) {
		memcpy(*to, at, len);
		*to += len;
		return len;
	}
	if (special)
		escaped[1] = letters[special - specials];
	else
		len = json_escape(escaped, at, left);
	*to = json_put(*to, escaped);
	return special ? 1 : len;
}

char *json_put_bytes(struct json_line *line, char *to, const char *bytes, size_t len)
{
	if (!json_has_room(line, to, len))
		to = json_line_flush(line, to);
	if (json_has_room(line, to, len))
		return (char *)memcpy(to, bytes, len) + len;
	if (line->out)
		fwrite_unlocked(bytes, 1, len, line->out);
	return to;
}

static char *make_room(struct json_line *line, char *to)
{
	return json_has_room(line, to, 0) ? to : json_line_flush(line, to);
}

/*
 * Puts the rest of a text, which has such characters or is long. Not inline: most texts are plain,
 * and their function then saves no registers.
 */
static __attribute__((noinline)) char *put_any(struct json_line *line, char *to, const char *text,
					       size_t len)
{
	const unsigned char *at = (const unsigned char *)text, *end = at + len;

	while (at < end) {
		to = make_room(line, to);
		if (is_plain(*at))
			*to++ = *at++;
		else
			at += put_special(&to, at, end - at);
	}
	*to++ = '"';
	return make_room(line, to);
}

/* Marks bytes that are not plain: those above ASCII are negative. */
static inline text_bytes marks_of(text_bytes bytes)
{
	return (bytes < EACH(' ')) | (bytes == EACH('"')) | (bytes == EACH('\\')) |
	       (bytes == EACH(0x7f));
}

char *json_put_text(struct json_line *line, char *to, const char *text, size_t len)
{
	*to++ = '"';
	if (!json_has_room(line, to, len) || !text_copy(to, text, len, marks_of))
		return put_any(line, to, text, len);
	to[len] = '"';
	return to + len + 1;
}
