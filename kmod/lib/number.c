// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/kernel.h>

#include "lib/number.h"

u32 kt_number_displaced(u32 *keys, u32 order, u32 key, bool is_closed)
{
	u32 nr = 1U << order, n, at, is;

	for (n = 0; n < nr; n++) {
		at = (kt_number_home(order, key) + n) & (nr - 1);
		is = READ_ONCE(keys[at]);
		if (!is && is_closed)
			break;
		if (!is)
			is = cmpxchg(&keys[at], 0, key);
		if (!is || is == key)
			return at;
	}
	return nr;
}
