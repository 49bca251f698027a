/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LINES_H
#define LINES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Lines of a file as /proc and /sys have them. Paths are formats, as of printf(). */
struct lines {
	FILE *file;	/* NULL: it cannot be opened */
	char *text;	/* the current line, without its newline; the next one overwrites it */
	size_t room;
};

/* Returns false with errno set if the file cannot be opened: it has no lines then. */
bool lines_open(struct lines *lines, const char *path, ...) __attribute__((format(printf, 2, 3)));
/* Returns false at the end. */
bool lines_next(struct lines *lines);
void lines_close(struct lines *lines);

/* Puts the first line into text, cut to len; returns false and leaves text if there is none. */
bool line_read(char *text, size_t len, const char *path, ...)
	__attribute__((format(printf, 3, 4)));

/*
 * Returns what follows the prefix, and blanks behind it, in the first line that begins with it;
 * to be freed. NULL: there is no such line.
 */
char *line_find(const char *prefix, const char *path, ...) __attribute__((format(printf, 2, 3)));

#endif
