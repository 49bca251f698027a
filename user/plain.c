// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "plain.h"

size_t plain_char_len(const unsigned char *at, size_t left)
{
	size_t len = at[0] < 0x80 ? 1 : at[0] < 0xc2 ? 0 : at[0] < 0xe0 ? 2 : at[0] < 0xf0 ? 3 :
		     at[0] < 0xf5 ? 4 : 0, i;

	if (len > left || (len == 1 && (at[0] < 0x20 || at[0] == 0x7f)))
		return 0;
	for (i = 1; i < len; i++)
		if ((at[i] & 0xc0) != 0x80)
			return 0;
	if ((at[0] == 0xc2 && at[1] < 0xa0) || (at[0] == 0xe0 && at[1] < 0xa0) ||
	    (at[0] == 0xed && at[1] > 0x9f) || (at[0] == 0xf0 && at[1] < 0x90) ||
	    (at[0] == 0xf4 && at[1] > 0x8f))
		return 0;
	return len;
}

char *plain_text(char *text)
{
	size_t len;
	char *at;

	for (at = text; *at; at += len ? len : 1) {
		len = plain_char_len((unsigned char *)at, strnlen(at, 4));
		if (!len)
			*at = '?';
	}
	return text;
}
