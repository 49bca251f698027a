// SPDX-License-Identifier: GPL-2.0
/*
 * A child of vfork() calls, in its parent's memory, functions that its parent calls before and
 * after. The child's calls do not count as the parent's.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define BEFORE 3
#define CHILD 4
#define PARENT 5

PROBED int work(int n)
{
	return n * n;
}

PROBED int family(void)
{
	volatile int sum = 0;	/* vfork returns twice */
	int i, status;
	pid_t child;

	for (i = 0; i < BEFORE; i++)
		sum += work(i);
	child = vfork();
	if (!child) {
		for (i = 0; i < CHILD; i++)
			work(i);
		_exit(7);
	}
	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	for (i = 0; i < PARENT; i++)
		sum += work(i);
	return sum + WEXITSTATUS(status);
}

int main(int argc, char **argv)
{
	int i;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("family 1\nmain 1\nwork %d\n", BEFORE + PARENT);
		return 0;
	case VICTIM_TREE:
		puts("main() {\n  family() {");
		for (i = 0; i < BEFORE + PARENT; i++)
			puts("    work();");
		puts("  } /* family */\n} /* main */");
		return 0;
	default:
		printf("family %d\n", family());
		return 37;
	}
}
