// SPDX-License-Identifier: GPL-2.0
/* RFC 1952, and of RFC 1951 the blocks that are stored. */
#include <stdint.h>

#include "draw/gzip.h"

#define MOST 65535	/* bytes of a block */

static uint32_t crc_of(const unsigned char *bytes, size_t len)
{
	uint32_t crc = ~0U;
	int bit;

	while (len--) {
		crc ^= *bytes++;
		for (bit = 0; bit < 8; bit++)
			crc = crc >> 1 ^ (crc & 1 ? 0xedb88320U : 0);
	}
	return ~crc;
}

/* The lowest byte first. */
static void put_number(FILE *out, uint32_t number, int len)
{
	unsigned char bytes[4];
	int i;

	for (i = 0; i < len; i++)
		bytes[i] = number >> 8 * i;
	fwrite_unlocked(bytes, 1, len, out);
}

static void put_block(FILE *out, const unsigned char *bytes, size_t len, int is_last)
{
	put_number(out, is_last, 1);
	put_number(out, len, 2);
	put_number(out, ~(uint32_t)len, 2);
	fwrite_unlocked(bytes, 1, len, out);
}

void gzip_put(FILE *out, const unsigned char *bytes, size_t len)
{
	size_t at = 0, some;

	put_number(out, 0x00088b1f, 4);	/* deflate, no flags */
	put_number(out, 0, 4);		/* no time */
	put_number(out, 0xff00, 2);	/* no level, of an unknown system */
	do {
		some = len - at < MOST ? len - at : MOST;
		put_block(out, bytes + at, some, at + some == len);
		at += some;
	} while (at < len);
	put_number(out, crc_of(bytes, len), 4);
	put_number(out, len, 4);
}
