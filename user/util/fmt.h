/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FMT_H
#define FMT_H

#include <stdbool.h>
#include <stdint.h>

#define FMT_LEN 24

/*
 * ns as "2.03 us": three significant digits, and the unit so that the figure is below 1000. The unit
 * of seconds is as wide as the others, for columns. With a raw style (style.h) it is "2031". Returns
 * text.
 */
const char *fmt_duration(char text[FMT_LEN], uint64_t ns);
/* The same for a sentence: one blank before the unit, which a raw figure has as well. */
const char *fmt_plain(char text[FMT_LEN], uint64_t ns);

/* "12.3 MiB"; with a raw style all bytes. */
const char *fmt_bytes(char text[FMT_LEN], uint64_t bytes);
/* Three significant digits, and all in front of the point. */
const char *fmt_rate(char text[FMT_LEN], double rate);

/* "10us", "1.5ms", "2s", "1m", "1h"; of bare figures only 0 is a time. False: not one. */
bool fmt_parse_duration(const char *text, uint64_t *ns);

/* "512K", "16M", "1G", powers of 1024, whole numbers. False: not a size. */
bool fmt_parse_size(const char *text, uint64_t *bytes);

/* A function's name with parentheses, as in a call. */
const char *fmt_parentheses(const char *name);	/* "()" or "" */
/* How much of a kernel function's name is in front of them: the rest is " [MODULE]". */
int fmt_name_len(const char *name);

#endif
