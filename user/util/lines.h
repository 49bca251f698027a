/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Lines of a text file, such as those of /proc and /sys. Paths are printf() formats. */
struct lines {
	FILE *file;	/* NULL if the file cannot be opened */
	char *text;	/* the current line without its newline; overwritten by the next */
	size_t room;
};

/* Opens a file. Returns false with errno set if it cannot be opened; the file then has no lines. */
bool lines_open(struct lines *lines, const char *path, ...) __attribute__((format(printf, 2, 3)));
/* Reads the next line. Returns false at the end. */
bool lines_next(struct lines *lines);
void lines_close(struct lines *lines);

/*
 * Copies the first line to text, cut to len. Returns false and leaves text unchanged if there is no
 * line.
 */
bool line_read(char *text, size_t len, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Returns the rest of the first line that begins with prefix, without leading blanks. The caller
 * frees it. Returns NULL if there is no such line.
 */
char *line_find(const char *prefix, const char *path, ...) __attribute__((format(printf, 2, 3)));

#endif
