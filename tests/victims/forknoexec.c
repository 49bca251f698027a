// SPDX-License-Identifier: GPL-2.0
/*
 * fork() under two open calls without an exec: parent and child both make further calls and return
 * from the open ones. In the child's tree, main and family are the copies with which it began; they
 * are not calls of its own.
 */
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define BEFORE 3
#define CHILD 7
#define PARENT 5

PROBED int work(int n)
{
	return n * n;
}

PROBED int child_side(int n)
{
	int i, sum = 0;

	for (i = 0; i < n; i++)
		sum += work(i);
	return sum;
}

PROBED int parent_side(pid_t child)
{
	int i, status, sum = 0;

	if (waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1;
	for (i = 0; i < PARENT; i++)
		sum += work(i);
	return sum + WEXITSTATUS(status);
}

PROBED int family(int *is_child)
{
	int i, sum = 0;
	pid_t child;

	for (i = 0; i < BEFORE; i++)
		sum += work(i);
	child = fork();
	if (child < 0)
		return -1;
	*is_child = !child;
	return sum + (child ? parent_side(child) : child_side(CHILD));
}

int main(int argc, char **argv)
{
	int i, is_child = 0, sum;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("child_side 1\nfamily 1\nmain 1\nparent_side 1\nwork %d\n",
		       BEFORE + CHILD + PARENT);
		return 0;
	case VICTIM_TREE:
		puts("main() {\n  family() {");
		for (i = 0; i < BEFORE; i++)
			puts("    work();");
		puts("    parent_side() {");
		for (i = 0; i < PARENT; i++)
			puts("      work();");
		puts("    } /* parent_side */\n  } /* family */\n} /* main */\n");
		puts("main() {\n  family() {\n    child_side() {");
		for (i = 0; i < CHILD; i++)
			puts("      work();");
		puts("    } /* child_side */\n  } /* family */\n} /* main */");
		return 0;
	default:
		sum = family(&is_child);
		printf("%s %d\n", is_child ? "child" : "parent", sum);
		return is_child ? 91 : 19;
	}
}
