// SPDX-License-Identifier: GPL-2.0
#include "util/keys.h"

static int key_of(char final)
{
	switch (final) {
	case 'C':
		return KEY_RIGHT;
	case 'D':
		return KEY_LEFT;
	case 'Z':
		return KEY_BACK_TAB;
	default:
		return KEY_UNKNOWN;
	}
}

/* ESC [ PARAMETERS FINAL, or ESC O FINAL. */
static size_t take_sequence(const char *bytes, size_t len, int *key)
{
	size_t at = 2;

	*key = KEY_UNKNOWN;
	if (bytes[1] != '[' && bytes[1] != 'O')
		return 2;	/* Alt and a key */
	while (at < len && bytes[at] >= 0x20 && bytes[at] < 0x40)
		at++;
	if (at < len)
		*key = key_of(bytes[at++]);
	return at;
}

size_t key_take(const char *bytes, size_t len, int *key)
{
	*key = (unsigned char)bytes[0];
	if (*key == KEY_ESCAPE && len > 1)
		return take_sequence(bytes, len, key);
	if (*key == '\r')
		*key = KEY_ENTER;
	else if (*key == '\b')
		*key = KEY_BACKSPACE;
	return 1;
}
