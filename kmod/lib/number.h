/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_NUMBER_H
#define KT_NUMBER_H

#include <linux/compiler.h>
#include <linux/types.h>

/*
 * Numbers for the devices or queues of a session. A key, which is not 0, has the index of its place
 * in keys as its number. keys has 1 << order places; 0 marks a free one. No key is ever removed.
 */
static __always_inline u32 kt_number_home(u32 order, u32 key)
{
	return key * 0x9e3779b9U >> (32 - order);
}

u32 kt_number_displaced(u32 *keys, u32 order, u32 key, bool is_closed);

/*
 * Returns the number of key. A new key gets a number, unless is_closed. Returns 1 << order if it
 * has none. Any context.
 */
static __always_inline u32 kt_number(u32 *keys, u32 order, u32 key, bool is_closed)
{
	u32 home = kt_number_home(order, key);

	return likely(READ_ONCE(keys[home]) == key) ? home :
	       kt_number_displaced(keys, order, key, is_closed);
}

#endif
