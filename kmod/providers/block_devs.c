// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/kernel.h>

#include "providers/block_devs.h"

u32 kt_block_devs_number_slow(struct kt_block_devs *devs, u32 dev)
{
	u32 first = kt_block_devs_home(dev), n, at, is;

	for (n = 0; n < KTRACE_BLOCK_DEVS; n++) {
		at = (first + n) % KTRACE_BLOCK_DEVS;
		is = READ_ONCE(devs->key[at]);
		if (likely(is == dev + 1))
			return at;
		if (is)
			continue;
		if (devs->is_closed)
			break;
		is = cmpxchg(&devs->key[at], 0, dev + 1);
		if (!is || is == dev + 1)
			return at;
	}
	return KTRACE_BLOCK_DEVS;
}

bool kt_block_devs_get(const struct kt_block_devs *devs, u32 number, u32 *dev)
{
	u32 key = number < KTRACE_BLOCK_DEVS ? READ_ONCE(devs->key[number]) : 0;

	*dev = key - 1;
	return key;
}
