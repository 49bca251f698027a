// SPDX-License-Identifier: GPL-2.0
/*
 * A family that is followed: children by fork(), which return from calls of their parent, children
 * by vfork() and posix_spawn(), which execute this program, and grandchildren. The expectation has
 * the calls of all of them.
 */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define FORKS 6
#define STARTS 3
#define CALLS 4

extern char **environ;

PROBED int work(int n)
{
	return n * 7 + 1;
}

PROBED int much_work(int n)
{
	int i, sum = 0;

	for (i = 0; i < CALLS; i++)
		sum += work(n + i);
	return sum;
}

PROBED int status_of(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1000;
	return WEXITSTATUS(status);
}

/* Parent and child return from here, and the child then makes its own calls. */
PROBED pid_t part(void)
{
	return fork();
}

PROBED int forked(int n)
{
	pid_t child = part(), grandchild;

	if (child)
		return status_of(child);
	grandchild = part();
	if (!grandchild)
		_exit(much_work(n) & 63);
	_exit((status_of(grandchild) + much_work(n)) & 63);
}

PROBED int spawned(const char *program)
{
	char *argv[] = { (char *)program, "--child", NULL };
	pid_t child;

	if (posix_spawn(&child, program, NULL, NULL, argv, environ))
		return -1000;
	return status_of(child);
}

PROBED int vforked(const char *program)
{
	char *argv[] = { (char *)program, "--child", NULL };
	pid_t child = vfork();

	if (!child) {
		execve(program, argv, environ);
		_exit(127);
	}
	return status_of(child);
}

int main(int argc, char **argv)
{
	int i;

	if (argc > 1 && !strcmp(argv[1], "--child"))
		return much_work(argc) & 63;
	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("forked %d\nmain %d\nmuch_work %d\npart %d\nspawned %d\nstatus_of %d\n"
		       "vforked %d\nwork %d\n", FORKS, 1 + 2 * STARTS, 2 * FORKS + 2 * STARTS,
		       2 * FORKS, STARTS, 2 * FORKS + 2 * STARTS, STARTS,
		       (2 * FORKS + 2 * STARTS) * CALLS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		for (i = 0; i < FORKS; i++)
			printf("forked %d\n", forked(i));
		for (i = 0; i < STARTS; i++)
			printf("spawned %d, vforked %d\n", spawned(argv[0]), vforked(argv[0]));
		return 51;
	}
}
