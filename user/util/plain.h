/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>
#include <stdio.h>

#define PLAIN_ESCAPE_LEN 7	/* \u202e and the terminating zero */

/*
 * Foreign text (names of files, functions, tasks) must not control the terminal that shows it. The
 * escaped characters are C0 and C1 controls, DEL, controls of text direction, separators of lines
 * and paragraphs, U+FFFE and U+FFFF, and bytes that are not UTF-8.
 */

/* Returns the length of the UTF-8 character at the start, or 0 if it must be escaped. */
size_t plain_char_len(const unsigned char *at, size_t left);

/* Returns the length of any UTF-8 character at the start, or 0 if there is none. */
size_t plain_utf8_len(const unsigned char *at, size_t left);

/* Writes the escape of one character to a buffer, and returns the character's length. */
size_t plain_escape(char to[PLAIN_ESCAPE_LEN], const unsigned char *at, size_t left);

/* Writes text with visible escapes: \x1b for a byte, \u202e for a character. */
void plain_put(FILE *out, const char *text, size_t len);

/* Returns text as plain_put() writes it. The caller frees it. */
char *plain_text(const char *text);

/* Cuts text to a number of columns by replacing its middle with "...". The caller frees it. */
char *plain_cut(const char *text, size_t columns);

/* Returns how many columns plain_put() needs, with one column per character. */
size_t plain_columns(const char *text, size_t len);

#endif
