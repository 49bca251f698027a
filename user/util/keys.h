/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KEYS_H
#define KEYS_H

#include <stddef.h>

/* A key is a byte, or one of these. */
enum key {
	KEY_TAB = '\t',
	KEY_ENTER = '\n',
	KEY_ESCAPE = 27,
	KEY_BACKSPACE = 127,
	KEY_LEFT = 256,
	KEY_RIGHT,
	KEY_BACK_TAB,
	KEY_UNKNOWN
};

/*
 * Takes the first key of what a terminal has sent; len is above 0. Returns how many bytes it has. A
 * sequence that ends too early, as after an escape key, is a key, too.
 */
size_t key_take(const char *bytes, size_t len, int *key);

#endif
