/* SPDX-License-Identifier: GPL-2.0 */
/* Statistics of a figure in several runs. Nothing here knows what the figure is. */
#ifndef SPREAD_H
#define SPREAD_H

#include <stddef.h>
#include <stdint.h>

#define SPREAD_MOST 20	/* values on each side, for which the test is exact */

struct spread {
	uint64_t median, min, max;	/* the median of an even number is rounded down */
	size_t nr;
};

/* nr: 1 to SPREAD_MOST. */
struct spread spread_of(const uint64_t *values, size_t nr);

/*
 * Returns the p of the Mann-Whitney U test, two-sided: twice the smaller tail, at most 1. It is
 * exact, also for equal values, which have their mean rank: the distribution of all ways to choose
 * the ranks of one side. nr_a, nr_b: 1 to SPREAD_MOST.
 */
double spread_test(const uint64_t *a, size_t nr_a, const uint64_t *b, size_t nr_b);
/* Returns the smallest p that the test has for so many values. */
double spread_least(size_t nr_a, size_t nr_b);

#endif
