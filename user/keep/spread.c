// SPDX-License-Identifier: GPL-2.0
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "keep/spread.h"

#define MOST_ALL (2 * SPREAD_MOST)
#define MOST_SUM (MOST_ALL * (MOST_ALL + 1))	/* of all doubled ranks */

static int by_value(const void *a, const void *b)
{
	uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

	return x < y ? -1 : x > y;
}

struct spread spread_of(const uint64_t *values, size_t nr)
{
	struct spread spread = { .nr = nr };
	uint64_t sorted[SPREAD_MOST];

	memcpy(sorted, values, nr * sizeof(*values));
	qsort(sorted, nr, sizeof(*sorted), by_value);
	spread.min = sorted[0];
	spread.max = sorted[nr - 1];
	spread.median = sorted[(nr - 1) / 2] + (sorted[nr / 2] - sorted[(nr - 1) / 2]) / 2;
	return spread;
}

/* --- ranks -------------------------------------------------------------------- */

/* The ranks of all values, doubled, so that the mean rank of equal values is an integer. */
struct ranks {
	unsigned int doubled[MOST_ALL];	/* those of side A first */
	size_t nr;
	unsigned int sum;	/* of side A */
	bool has_ties;
};

static unsigned int count_below(const uint64_t *values, size_t nr, uint64_t value, size_t *nr_equal)
{
	unsigned int below = 0;
	size_t i;

	for (i = 0; i < nr; i++) {
		below += values[i] < value;
		*nr_equal += values[i] == value;
	}
	return below;
}

static struct ranks ranks_of(const uint64_t *a, size_t nr_a, const uint64_t *b, size_t nr_b)
{
	struct ranks ranks = { .nr = nr_a + nr_b };
	uint64_t all[MOST_ALL];
	size_t i, nr_equal;

	memcpy(all, a, nr_a * sizeof(*a));
	memcpy(all + nr_a, b, nr_b * sizeof(*b));
	for (i = 0; i < ranks.nr; i++) {
		nr_equal = 0;
		ranks.doubled[i] = 2 * count_below(all, ranks.nr, all[i], &nr_equal);
		ranks.doubled[i] += nr_equal + 1;
		ranks.has_ties |= nr_equal > 1;
		ranks.sum += i < nr_a ? ranks.doubled[i] : 0;
	}
	return ranks;
}

/* --- the distribution --------------------------------------------------------- */

/*
 * ways[s]: of how many choices of nr_chosen ranks s is the sum. A double has these integers
 * exactly: there are at most 40 over 20 choices, which is below 2^53.
 */
static void count_ways(double *ways, const struct ranks *ranks, size_t nr_chosen)
{
	static double of[SPREAD_MOST + 1][MOST_SUM + 1];
	unsigned int rank, sum;
	size_t i, nr;

	memset(of, 0, sizeof(of));
	of[0][0] = 1;
	for (i = 0; i < ranks->nr; i++) {
		rank = ranks->doubled[i];
		for (nr = i < nr_chosen ? i + 1 : nr_chosen; nr; nr--)
			for (sum = rank; sum <= MOST_SUM; sum++)
				of[nr][sum] += of[nr - 1][sum - rank];
	}
	memcpy(ways, of[nr_chosen], sizeof(of[nr_chosen]));
}

static double tails(const double *ways, unsigned int at)
{
	double below = 0, above = 0, all = 0, least;
	unsigned int sum;

	for (sum = 0; sum <= MOST_SUM; sum++) {
		below += sum <= at ? ways[sum] : 0;
		above += sum >= at ? ways[sum] : 0;
		all += ways[sum];
	}
	least = below < above ? below : above;
	return 2 * least < all ? 2 * least / all : 1;
}

/* Without equal values, the distribution depends on their numbers only: it is kept. */
static const double *ways_of(const struct ranks *ranks, size_t nr_a)
{
	static double kept[MOST_SUM + 1], ways[MOST_SUM + 1];
	static size_t kept_nr, kept_all;

	if (ranks->has_ties) {
		count_ways(ways, ranks, nr_a);
		return ways;
	}
	if (kept_nr != nr_a || kept_all != ranks->nr) {
		count_ways(kept, ranks, nr_a);
		kept_nr = nr_a;
		kept_all = ranks->nr;
	}
	return kept;
}

double spread_test(const uint64_t *a, size_t nr_a, const uint64_t *b, size_t nr_b)
{
	struct ranks ranks = ranks_of(a, nr_a, b, nr_b);

	/* All values are equal, as the numbers of calls often are. */
	if (!memcmp(ranks.doubled, ranks.doubled + 1, (ranks.nr - 1) * sizeof(*ranks.doubled)))
		return 1;
	return tails(ways_of(&ranks, nr_a), ranks.sum);
}

double spread_least(size_t nr_a, size_t nr_b)
{
	double all = 1;
	size_t i;

	for (i = 1; i <= nr_a; i++)
		all = all * (nr_b + i) / i;
	return all > 2 ? 2 / all : 1;
}
