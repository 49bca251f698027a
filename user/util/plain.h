/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>
#include <stdio.h>

#define PLAIN_ESCAPE_LEN 7	/* \u202e and its end */

/*
 * Text from elsewhere (names of files, functions, tasks) must not steer the terminal that
 * shows it. Escaped are C0 and C1 controls, DEL, controls of text direction, the separators
 * of lines and paragraphs, and bytes that are not UTF-8.
 */

/* Length of the UTF-8 character at the start; 0 if it has to be escaped. */
size_t plain_char_len(const unsigned char *at, size_t left);

/* Length of the UTF-8 character at the start, whichever it is; 0 if there is none. */
size_t plain_utf8_len(const unsigned char *at, size_t left);

/* Writes one character that has to be escaped, and returns its length. */
size_t plain_escape(char to[PLAIN_ESCAPE_LEN], const unsigned char *at, size_t left);

/* Writes text with visible escapes: \x1b for a byte, \u202e for a character. */
void plain_put(FILE *out, const char *text, size_t len);

/* Text of that many columns, its middle replaced by "..."; to be freed. */
char *plain_cut(const char *text, size_t columns);

/* How many columns plain_put() needs, with one for each character. */
size_t plain_columns(const char *text, size_t len);

#endif
