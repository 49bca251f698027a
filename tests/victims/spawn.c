// SPDX-License-Identifier: GPL-2.0
/*
 * Children by vfork() and execve(), by posix_spawn(), and a daemon by two forks. Functions that a
 * child calls before its exec, or instead of one, are named child_*: they are in no expectation.
 */
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include "victim.h"

#define VFORKS 5
#define SPAWNS 5

extern char **environ;

PROBED int work(int n)
{
	return n * n;
}

PROBED void child_exec(char **argv)
{
	execve(argv[0], argv, environ);
}

PROBED int status_of(pid_t child)
{
	int status;

	if (child < 0 || waitpid(child, &status, 0) != child || !WIFEXITED(status))
		return -1000;
	return WEXITSTATUS(status);
}

PROBED int vfork_and_exec(int n)
{
	char *argv[] = { "/bin/sh", "-c", "exit $0", NULL, NULL }, text[12];
	pid_t child;

	snprintf(text, sizeof(text), "%d", n);
	argv[3] = text;
	child = vfork();
	if (!child) {
		child_exec(argv);
		_exit(127);
	}
	return status_of(child) + work(n);
}

PROBED int spawn(int n)
{
	char *argv[] = { "/bin/sh", "-c", "exit $0", NULL, NULL }, text[12];
	pid_t child;

	snprintf(text, sizeof(text), "%d", n);
	argv[3] = text;
	if (posix_spawn(&child, argv[0], NULL, NULL, argv, environ))
		return -1000;
	return status_of(child) + work(n);
}

PROBED void child_daemon(int fd)
{
	int sum = getsid(0) == getpid() ? 1000 : getsid(0) == getppid() ? 2000 : 0;
	char text[16];
	int i;

	for (i = 0; i < 10; i++)
		sum += i;
	snprintf(text, sizeof(text), "%d", sum % 1000);
	if (write(fd, text, strlen(text)) < 0)
		_exit(1);
	_exit(0);
}

PROBED void child_leader(int fd)
{
	pid_t child;

	setsid();
	child = fork();
	if (!child)
		child_daemon(fd);
	_exit(child < 0);
}

/* The daemon's output is read until it has ended. */
PROBED int daemonize(void)
{
	char text[16] = "";
	int fds[2], len;
	pid_t child;

	if (pipe(fds))
		return -1000;
	child = fork();
	if (!child)
		child_leader(fds[1]);
	close(fds[1]);
	if (status_of(child))
		return -1000;
	len = read(fds[0], text, sizeof(text) - 1);
	while (len > 0 && read(fds[0], text + len, 1) > 0)
		len++;
	close(fds[0]);
	return atoi(text);
}

int main(int argc, char **argv)
{
	int i;

	switch (victim_mode(&argc, &argv)) {
	case VICTIM_COUNTS:
		printf("daemonize 1\nmain 1\nspawn %d\nstatus_of %d\nvfork_and_exec %d\nwork %d\n",
		       SPAWNS, SPAWNS + VFORKS + 1, VFORKS, SPAWNS + VFORKS);
		return 0;
	case VICTIM_TREE:
		return VICTIM_USAGE;
	default:
		for (i = 0; i < VFORKS; i++)
			printf("vfork_and_exec %d\n", vfork_and_exec(i + 1));
		for (i = 0; i < SPAWNS; i++)
			printf("spawn %d\n", spawn(i + 20));
		fflush(stdout);
		printf("daemonize %d\n", daemonize());
		return 45;
	}
}
