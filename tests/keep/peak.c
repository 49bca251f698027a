// SPDX-License-Identifier: GPL-2.0
/*
 * peak COMMAND WORD...: runs a command without its output, and prints the peak of its memory in KiB,
 * its CPU time in us, and its exit status. The kernel counts the memory of a process from its fork on, so a large process
 * cannot measure a small one.
 */
#include <fcntl.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static void become(char **words)
{
	int nowhere = open("/dev/null", O_WRONLY);

	if (nowhere >= 0 && dup2(nowhere, STDOUT_FILENO) >= 0)
		execv(words[0], words);
	_exit(127);
}

int main(int argc, char **argv)
{
	struct rusage usage;
	int status;
	pid_t pid;

	if (argc < 2)
		return 2;
	pid = fork();
	if (!pid)
		become(argv + 1);
	if (pid < 0 || wait4(pid, &status, 0, &usage) != pid || !WIFEXITED(status))
		return 1;
	printf("%ld %ld %d\n", usage.ru_maxrss,
	       usage.ru_utime.tv_sec * 1000000 + usage.ru_utime.tv_usec, WEXITSTATUS(status));
	return 0;
}
