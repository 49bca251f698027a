// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "system/modprobe.h"
#include "util/lines.h"

#define PATH_LEN 256	/* the kernel's limit */

/* Its messages are dropped: the caller reports the failure. */
static void become(const char *program, const char *module)
{
	char *environment[] = { NULL };
	int null = open("/dev/null", O_RDWR);

	dup2(null, STDIN_FILENO);
	dup2(null, STDOUT_FILENO);
	dup2(null, STDERR_FILENO);
	execle(program, program, "-q", "--", module, (char *)NULL, environment);
	_exit(127);
}

bool modprobe(const char *module)
{
	char program[PATH_LEN];
	int status;
	pid_t pid;

	if (geteuid() || !line_read(program, sizeof(program), "/proc/sys/kernel/modprobe") ||
	    !*program)
		return false;
	pid = fork();
	if (!pid)
		become(program, module);
	if (pid < 0)
		return false;
	while (waitpid(pid, &status, 0) < 0)
		if (errno != EINTR)
			return false;
	return WIFEXITED(status) && !WEXITSTATUS(status);
}
