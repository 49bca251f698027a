/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_HASH_H
#define KT_COMPAT_LINUX_HASH_H

#include_next <linux/hash.h>

/*
 * Before "<linux/hash.h>: Fix hash_64()/hash_ptr()" (4.7), the addresses of one slab hash to few
 * places: a key finds no free place although the table is nearly empty. The multiplier is the one
 * of this fix.
 */
#ifndef GOLDEN_RATIO_64
#include <linux/types.h>

#define GOLDEN_RATIO_64 0x61C8864680B583EBULL

static __always_inline u32 kt_hash_64(u64 value, unsigned int bits)
{
	return value * GOLDEN_RATIO_64 >> (64 - bits);
}

#define hash_64(value, bits) kt_hash_64(value, bits)
#define hash_ptr(ptr, bits) kt_hash_64((unsigned long)(ptr), bits)
#endif

#endif
