/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FMT_H
#define FMT_H

#include <stdbool.h>
#include <stdint.h>

#define FMT_LEN 24

/* ns as "  2.031 us", the unit so that the figure is below 1000; returns text. */
const char *fmt_duration(char text[FMT_LEN], uint64_t ns);

/* The same for a sentence: no spaces in front, one unit behind one. */
const char *fmt_plain(char text[FMT_LEN], uint64_t ns);

/* "10us", "1.5ms", "2s", "1m", "1h"; of bare figures only 0 is a time. False: not one. */
bool fmt_parse_duration(const char *text, uint64_t *ns);

/* "512K", "16M", "1G", powers of 1024, whole numbers. False: not a size. */
bool fmt_parse_size(const char *text, uint64_t *bytes);

/* A function's name with parentheses, as in a call. */
const char *fmt_parentheses(const char *name);	/* "()" or "" */
/* How much of a kernel function's name is in front of them: the rest is " [MODULE]". */
int fmt_name_len(const char *name);

#endif
