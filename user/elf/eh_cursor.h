/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EH_CURSOR_H
#define EH_CURSOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Reads the numbers of .eh_frame. Behind the end all numbers are 0, and is_bad is set. */
struct eh_cursor {
	const uint8_t *at, *end;
	uint64_t addr;		/* of at, in the file */
	bool is_bad;
};

/* How a pointer is encoded (DW_EH_PE_*). */
#define EH_OMITTED	0xff
#define EH_PCREL	0x10
#define EH_DATAREL	0x30
#define EH_ALIGNED	0x50
#define EH_INDIRECT	0x80

/* Reads a number of 1, 2, 4 or 8 bytes. */
uint64_t eh_cursor_number(struct eh_cursor *cursor, size_t len);

/* Read a number of variable length (LEB128). Bits beyond 64 are dropped. */
uint64_t eh_cursor_unsigned(struct eh_cursor *cursor);
int64_t eh_cursor_signed(struct eh_cursor *cursor);

/*
 * Reads an encoded pointer; data is what EH_DATAREL is relative to. Sets is_bad if the encoding is
 * unknown. Does not follow EH_INDIRECT.
 */
uint64_t eh_cursor_pointer(struct eh_cursor *cursor, uint8_t encoding, uint64_t data);

/* Returns a cursor for the next len bytes, and moves behind them. */
struct eh_cursor eh_cursor_part(struct eh_cursor *cursor, uint64_t len);

#endif
