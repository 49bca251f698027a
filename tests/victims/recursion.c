// SPDX-License-Identifier: GPL-2.0
/* Direct recursion 500 deep, and two functions that recurse through each other. */
#include "victim.h"

#define DEEP 500
#define MUTUAL 100

PROBED static unsigned long bottom(unsigned long n)
{
	return n + 7;
}

PROBED unsigned long down(unsigned long n)
{
	if (n == 1)
		return bottom(n);
	return n + down(n - 1);
}

PROBED unsigned long odd(unsigned long n);

PROBED unsigned long even(unsigned long n)
{
	return n ? 1 + odd(n - 1) : 0;
}

PROBED unsigned long odd(unsigned long n)
{
	return n ? 2 + even(n - 1) : 0;
}

int main(int argc, char **argv)
{
	int depth;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("bottom 1\ndown %d\neven %d\nmain 1\nodd %d\n",
		       DEEP, MUTUAL / 2 + 1, MUTUAL / 2);
		return 0;
	case VICTIM_TREE:
		victim_line(0, "main() {");
		for (depth = 1; depth <= DEEP; depth++)
			victim_line(depth, "down() {");
		victim_line(DEEP + 1, "bottom();");
		for (depth = DEEP; depth; depth--)
			victim_line(depth, "} /* down */");
		for (depth = 1; depth <= MUTUAL; depth++)
			victim_line(depth, depth % 2 ? "even() {" : "odd() {");
		victim_line(MUTUAL + 1, "even();");
		for (depth = MUTUAL; depth; depth--)
			victim_line(depth, depth % 2 ? "} /* even */" : "} /* odd */");
		victim_line(0, "} /* main */");
		return 0;
	default:
		printf("down %lu\n", down(DEEP));
		printf("even %lu\n", even(MUTUAL));
		return 11;
	}
}
