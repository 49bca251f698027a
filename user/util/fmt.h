/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FMT_H
#define FMT_H

#include <stdbool.h>
#include <stdint.h>

#define FMT_LEN 24

/*
 * Formats ns as "2.03 us": three significant digits, in a unit that keeps the figure below 1000.
 * The unit of seconds is as wide as the others, for columns. With a raw style (style.h), the text
 * is "2031". Returns text.
 */
const char *fmt_duration(char text[FMT_LEN], uint64_t ns);
/* Formats ns for a sentence: one blank before the unit, which a raw figure has as well. */
const char *fmt_plain(char text[FMT_LEN], uint64_t ns);

/* Formats bytes as "12.3 MiB", or unscaled with a raw style. Returns text. */
const char *fmt_bytes(char text[FMT_LEN], uint64_t bytes);
/* Returns a part in percent of the whole; 0 if the whole is nothing. */
static inline double fmt_percent(uint64_t part, uint64_t whole)
{
	return whole ? 100.0 * part / whole : 0;
}

/*
 * Formats a rate with three significant digits, and with all digits in front of the point. Returns
 * text.
 */
const char *fmt_rate(char text[FMT_LEN], double rate);

/*
 * Parses "10us", "1.5ms", "2s", "1m" or "1h". Of numbers without a unit, only 0 is accepted.
 * Returns false if text is not a time.
 */
bool fmt_parse_duration(const char *text, uint64_t *ns);

/*
 * Parses "512K", "16M" or "1G": whole numbers with powers of 1024. Returns false if text is not a
 * size.
 */
bool fmt_parse_size(const char *text, uint64_t *bytes);

/* Returns the parentheses to print after a function's name. */
const char *fmt_parentheses(const char *name);	/* "()" or "" */
/* Returns the length of a function's name without " [MODULE]", " [FILE]" or " [ADDRESS]". */
int fmt_name_len(const char *name);

#endif
