/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PLAIN_H
#define PLAIN_H

#include <stddef.h>

/*
 * What a file or a task calls itself may not move the cursor of who reads it: of all
 * that others named, control characters and what is no UTF-8 become '?', in place.
 */
char *plain_text(char *text);

/* Length of the UTF-8 character at the start, 0: it is none, or a control character. */
size_t plain_char_len(const unsigned char *at, size_t left);

#endif
