// SPDX-License-Identifier: GPL-2.0
/* Executes itself again with a deep stack: no call of the first program belongs to the second. */
#include <unistd.h>

#include "victim.h"

#define DEPTH 2000
#define VISITS 3

static char *name;

PROBED void visit(int n)
{
	printf("visit %d\n", n);
}

PROBED int descend(int n)
{
	if (n)
		return descend(n - 1) + 1;
	execl("/proc/self/exe", name, "again", NULL);
	return 1;
}

PROBED int begin(void)
{
	int i;

	for (i = 0; i < VISITS; i++)
		visit(i);
	return 0;
}

int main(int argc, char **argv)
{
	name = argv[0];
	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("begin 1\ndescend %d\nvisit %d\n", DEPTH + 1, VISITS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		return argc > 1 ? begin() : descend(DEPTH);
	}
}
