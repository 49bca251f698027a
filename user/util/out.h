/* SPDX-License-Identifier: GPL-2.0 */
#ifndef OUT_H
#define OUT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "util/err.h"

/*
 * Like fprintf(), for everything that is shown. Arguments of %s and %c are written with visible
 * escapes (plain.h), including line feeds, and padded by characters. The format itself is trusted
 * and written as it is. Supports d i u x o c s f, the lengths h l ll z, and *.
 */
void out_put(FILE *out, const char *format, ...)
	__attribute__((format(printf, 2, 3)));

/*
 * Writes words from a column on, and a line feed. columns: the maximum length of a line;
 * 0: no limit. The current line already has `at` characters.
 */
void out_words(FILE *out, const char *text, int at, int column, int columns);
/*
 * Writes comments, each with a blank before it: behind `at` columns of the current line, and on
 * lines of their own if there is no room, as many on each as fit.
 */
void out_comments(FILE *out, const char *text, int at, int columns);

/* Writes text that out_put() has formatted in memory. */
void out_kept(FILE *out, const char *text, size_t len);

/* Where data goes: as the options choose, or to standard output. */
struct output {
	const char *path;	/* -o; "-": standard output, and the program's goes to standard
				 * error */
	uint32_t fd;		/* --output-fd, or 0 */
};

/* Makes stdout and stderr write through signals_write(). Call it before anything is printed. */
void out_init(void);

/* Checks that data can go there. Returns 0, or -1 with err set. */
int out_check(const struct output *output, struct err *err);

/* Returns true if data goes where a program writes as well. */
bool out_is_shared(const struct output *output);

/* Returns true if the standard output of a program is redirected to standard error. */
bool out_is_apart(const struct output *output);

/*
 * Returns the descriptor of the output, or -1 for a file that is opened by path. output may be
 * NULL.
 */
int out_fd(const struct output *output);

/*
 * Opens the chosen output; standard output if output is NULL. A new file can be read by its owner
 * only. An existing file keeps its contents until the first data is written, or until out_close().
 * Returns NULL with err set.
 */
FILE *out_open(const struct output *output, struct err *err);

/*
 * Writes buffered data. Returns 0, or a negative errno with err set if any write failed; -EPIPE:
 * the reader has closed the output. Call it at least once at the end, before out_close().
 */
int out_flush(FILE *out, const struct output *output, struct err *err);
int out_close(FILE *out, const struct output *output, struct err *err);

#endif
