// SPDX-License-Identifier: GPL-2.0
/*
 * A program, its library (nested_lib.c), and the library's calls back into the program. --expect
 * prints the program's own functions. With an argument, the program first prints "ready PID" and
 * waits for a line.
 */
#include <unistd.h>

#include "nested.h"
#include "victim.h"

PROBED int back(int x)
{
	return x + 1;
}

PROBED int work(void)
{
	int i, sum = 0;

	for (i = 0; i < NESTED_TURNS; i++)
		sum += lib_outer(i, back);
	return sum + lib_leaf(1) + lib_leaf(2);
}

int main(int argc, char **argv)
{
	enum victim_mode mode = victim_mode(&argc, &argv);

	if (mode == VICTIM_COUNTS) {
		printf("back %d\nmain 1\nwork 1\n", NESTED_TURNS * NESTED_INNER);
		return 0;
	}
	if (mode == VICTIM_TREE)
		return VICTIM_USAGE;
	if (argc > 1) {
		printf("ready %d\n", getpid());
		fflush(stdout);
		getchar();
	}
	printf("sum %d\n", work());
	return 17;
}
