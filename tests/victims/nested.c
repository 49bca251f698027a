// SPDX-License-Identifier: GPL-2.0
/*
 * A program, its library (nested_lib.c), and the library's way back into it.
 * --expect: the program's own functions.
 * With seconds as argument it says "ready PID" first and goes on for so long.
 */
#include <time.h>
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
	unsigned long seconds = victim_number(argc, argv, 1, 0);
	struct timespec pause = { 0, 1000000 };
	time_t end = time(NULL) + seconds;

	if (mode == VICTIM_COUNTS) {
		printf("back %d\nmain 1\nwork 1\n", NESTED_TURNS * NESTED_INNER);
		return 0;
	}
	if (mode == VICTIM_TREE)
		return VICTIM_USAGE;
	if (seconds) {
		printf("ready %d\n", getpid());
		fflush(stdout);
		while (time(NULL) < end) {
			work();
			nanosleep(&pause, NULL);
		}
	}
	printf("sum %d\n", work());
	return 17;
}
