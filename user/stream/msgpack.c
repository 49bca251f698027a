// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "stream/msgpack.h"

/* Reads the head of a text of at most 64 KiB. Returns as msgpack_read_pair() does. */
static int read_text_head(const unsigned char *at, size_t left, size_t *len)
{
	size_t head, i;

	if (!left)
		return 0;
	if ((at[0] & 0xe0) == MSGPACK_SHORT_TEXT) {
		*len = at[0] & 0x1f;
		return 1;
	}
	if (at[0] != MSGPACK_TEXT_8 && at[0] != MSGPACK_TEXT_16)
		return -1;
	head = at[0] == MSGPACK_TEXT_8 ? 2 : 3;
	if (left < head)
		return 0;
	for (*len = 0, i = 1; i < head; i++)
		*len = *len << 8 | at[i];
	return head;
}

/* Reads a text. Returns as msgpack_read_pair() does. */
static int read_text(const char *at, size_t left, const char **text, size_t *len)
{
	int head = read_text_head((const unsigned char *)at, left, len);

	if (head <= 0)
		return head;
	*text = at + head;
	return left < head + *len ? 0 : (int)(head + *len);
}

int msgpack_read_pair(const char *bytes, size_t len, const char *key, const char **text,
		      size_t *text_len)
{
	int of_key, of_text;

	if (!len)
		return 0;
	if ((unsigned char)bytes[0] != (MSGPACK_SHORT_MAP | 1))
		return -1;
	of_key = read_text(bytes + 1, len - 1, text, text_len);
	if (of_key <= 0)
		return of_key;
	if (*text_len != strlen(key) || memcmp(*text, key, *text_len))
		return -1;
	of_text = read_text(bytes + 1 + of_key, len - 1 - of_key, text, text_len);
	return of_text <= 0 ? of_text : 1 + of_key + of_text;
}
