// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/manual.h"
#include "system/nofile.h"
#include "util/mem.h"

#define SECTION "8"

static void exec_find(char *page, int out)
{
	char *const argv[] = { "man", "-w", SECTION, page, NULL };
	int null = open("/dev/null", O_RDWR);

	dup2(out, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	nofile_restore();
	execvp(argv[0], argv);
	_exit(127);
}

/* Puts the beginning of the output of "man -w" into path. Returns false if man failed. */
static bool find(char *page, char *path, size_t len)
{
	int pipes[2], status = -1;
	ssize_t nr = 0;
	pid_t child;

	if (pipe2(pipes, O_CLOEXEC))
		return false;
	child = fork();
	if (!child)
		exec_find(page, pipes[1]);
	close(pipes[1]);
	if (child > 0)
		nr = read(pipes[0], path, len - 1);
	close(pipes[0]);
	path[nr > 0 ? nr : 0] = '\0';
	while (child > 0 && waitpid(child, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return child > 0 && WIFEXITED(status) && !WEXITSTATUS(status);
}

/* On a system without pages, man may print any text and succeed, so its output is checked. */
static bool is_there(char *page)
{
	char *file = mem_format("/%s." SECTION, page), path[4096];
	bool is_found = find(page, path, sizeof(path)) && *path == '/' && strstr(path, file);

	free(file);
	return is_found;
}

void manual_show(const char *command)
{
	char *page = mem_format("ktrace-%s", command);
	char *const argv[] = { "man", SECTION, page, NULL };

	if (is_there(page)) {
		nofile_restore();
		execvp(argv[0], argv);
		nofile_raise();
	}
	free(page);
}
