// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/manual.h"
#include "system/nofile.h"
#include "util/mem.h"

/* "man -w PAGE" prints the page's path, which is not needed here, or fails. */
static void exec_find(char *page)
{
	char *const argv[] = { "man", "-w", page, NULL };
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	nofile_restore();
	execvp(argv[0], argv);
	_exit(127);
}

static bool is_there(char *page)
{
	int status = -1;
	pid_t child = fork();

	if (!child)
		exec_find(page);
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return child > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

void manual_show(const char *command)
{
	char *page = mem_format("ktrace-%s", command);
	char *const argv[] = { "man", page, NULL };

	if (is_there(page)) {
		nofile_restore();
		execvp(argv[0], argv);
		nofile_raise();
	}
	free(page);
}
