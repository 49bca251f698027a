/* SPDX-License-Identifier: GPL-2.0 */
#ifndef BOUND_H
#define BOUND_H

#include <stddef.h>

/*
 * Searches a sorted array of nr elements. is_before is an expression of i, which is true for the
 * elements in front of the wanted place. Returns the index of the first element behind them, or nr.
 */
#define BOUND(nr, i, is_before)								\
	({										\
		size_t low_ = 0, high_ = (nr), i;					\
											\
		while (low_ < high_) {							\
			i = (low_ + high_) / 2;						\
			if (is_before)							\
				low_ = i + 1;						\
			else								\
				high_ = i;						\
		}									\
		low_;									\
	})

#endif
