// SPDX-License-Identifier: GPL-2.0
/*
 * outlier [DEPTH]: for each line "N MS" of input, main calls quick() N times, then outer(), in which
 * inner() takes MS milliseconds, then quick() N times again, and prints "done". Between main() and
 * outer() are DEPTH (0) calls of nest().
 */
#include "victim.h"

static volatile unsigned long n;

PROBED void quick(void)
{
	n++;
}

PROBED void inner(unsigned long ms)
{
	unsigned long long from = victim_ns(CLOCK_MONOTONIC);

	while (victim_ns(CLOCK_MONOTONIC) - from < ms * 1000000ULL)
		n++;
}

PROBED void outer(unsigned long ms)
{
	inner(ms);
	n++;
}

PROBED void nest(unsigned long depth, unsigned long ms)
{
	if (depth > 1)
		nest(depth - 1, ms);
	else
		outer(ms);
	n++;
}

int main(int argc, char **argv)
{
	unsigned long depth, calls, ms, i;

	if (victim_mode(&argc, &argv) != VICTIM_RUN || argc > 2)
		return VICTIM_USAGE;
	depth = argc == 2 ? atol(argv[1]) : 0;
	while (scanf("%lu %lu", &calls, &ms) == 2) {
		for (i = 0; i < calls; i++)
			quick();
		if (depth)
			nest(depth, ms);
		else
			outer(ms);
		for (i = 0; i < calls; i++)
			quick();
		puts("done");
		fflush(stdout);
	}
	return 0;
}
