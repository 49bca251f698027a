/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OUT_H
#define OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

/*
 * fprintf() for all that is shown: what %s and %c stand for is written with visible escapes
 * (plain.h), line feeds included, and is padded by characters. The format is ours, and is
 * written as it is. It knows d i u x o c s f, the lengths h l ll z, and *.
 */
void out_put(FILE *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Writes words from a column on, on as many lines as they need in so many columns (0: on one), and a
 * line feed. The line has `at` characters already.
 */
void out_words(FILE *out, const char *text, int at, int column, int columns);

/* Writes text that out_put() has written to memory. */
void out_kept(FILE *out, const char *text, size_t len);

/* Where data goes: as the options say, or to standard output. */
struct output {
	const char *path;	/* -o; "-": standard output, which a program has not then */
	uint32_t fd;		/* --output-fd, or 0 */
};

/* Call it first: what is printed goes through signals_write(). */
void out_init(void);

/* Can data of that format go there, beside what a program writes? Else -1 with err set. */
int out_check(const struct output *output, const char *format, bool has_program,
	      struct err *err);

/* Does what a program writes to standard output go to standard error? */
bool out_is_apart(const struct output *output);

/* The descriptor that it goes to; -1: a file that is opened. output may be NULL. */
int out_fd(const struct output *output);

/* Opens what was chosen; output may be NULL: standard output. NULL with err set. */
FILE *out_open(const struct output *output, struct err *err);

/*
 * Sends on what was written; returns 0, or a negative errno with err set when something could
 * not be, -EPIPE: its reader has gone. Call it at least at the end, before out_close().
 */
int out_flush(FILE *out, const struct output *output, struct err *err);
int out_close(FILE *out, const struct output *output, struct err *err);

#endif
