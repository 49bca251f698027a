// SPDX-License-Identifier: GPL-2.0
/* A function whose name has 10,000 characters, LONG, as generated code has. */
#include "victim.h"

#define CALLS 30
#define TEXT(name) #name
#define TEXT_OF(name) TEXT(name)

PROBED int LONG(int n)
{
	return n * 3 + 1;
}

PROBED int caller(int n)
{
	return LONG(n) + LONG(n + 1);
}

int main(int argc, char **argv)
{
	int i, sum = 0;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("caller %d\nmain 1\n" TEXT_OF(LONG) " %d\n", CALLS, 2 * CALLS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		for (i = 0; i < CALLS; i++)
			sum += caller(i);
		printf("sum %d\n", sum);
		return 71;
	}
}
