// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "elf/eh_cursor.h"

#define FORMAT	0x0f
#define BASE	0x70

struct eh_cursor eh_cursor_part(struct eh_cursor *cursor, uint64_t len)
{
	struct eh_cursor part = *cursor;

	if (len > (uint64_t)(cursor->end - cursor->at)) {
		len = cursor->end - cursor->at;
		cursor->is_bad = part.is_bad = true;
	}
	part.end = cursor->at + len;
	cursor->at += len;
	cursor->addr += len;
	return part;
}

uint64_t eh_cursor_number(struct eh_cursor *cursor, size_t len)
{
	struct eh_cursor part = eh_cursor_part(cursor, len);
	uint64_t number = 0;

	if (!part.is_bad)
		memcpy(&number, part.at, len);
	return number;
}

/* Sets *shift to the number of bits. */
static uint64_t leb128(struct eh_cursor *cursor, unsigned int *shift, uint8_t *last)
{
	uint64_t number = 0;

	*shift = 0;
	do {
		*last = eh_cursor_number(cursor, 1);
		if (*shift < 64)
			number |= (uint64_t)(*last & 0x7f) << *shift;
		*shift += 7;
	} while (*last & 0x80);
	return number;
}

uint64_t eh_cursor_unsigned(struct eh_cursor *cursor)
{
	unsigned int shift;
	uint8_t last;

	return leb128(cursor, &shift, &last);
}

int64_t eh_cursor_signed(struct eh_cursor *cursor)
{
	unsigned int shift;
	uint8_t last;
	uint64_t number = leb128(cursor, &shift, &last);

	if (shift < 64 && (last & 0x40))
		number |= -1ULL << shift;
	return number;
}

static uint64_t pointer(struct eh_cursor *cursor, uint8_t format)
{
	switch (format) {
	case 0x0:
	case 0x4:
	case 0xc:
		return eh_cursor_number(cursor, 8);
	case 0x1:
		return eh_cursor_unsigned(cursor);
	case 0x2:
		return eh_cursor_number(cursor, 2);
	case 0x3:
		return eh_cursor_number(cursor, 4);
	case 0x9:
		return eh_cursor_signed(cursor);
	case 0xa:
		return (int16_t)eh_cursor_number(cursor, 2);
	case 0xb:
		return (int32_t)eh_cursor_number(cursor, 4);
	default:
		cursor->is_bad = true;
		return 0;
	}
}

uint64_t eh_cursor_pointer(struct eh_cursor *cursor, uint8_t encoding, uint64_t data)
{
	uint64_t addr = cursor->addr, number = pointer(cursor, encoding & FORMAT);

	switch (encoding & BASE) {
	case 0:
		return number;
	case EH_PCREL:
		return addr + number;
	case EH_DATAREL:
		return data + number;
	default:
		cursor->is_bad = true;
		return 0;
	}
}
