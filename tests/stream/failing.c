// SPDX-License-Identifier: GPL-2.0
/*
 * failing.so, for LD_PRELOAD: FAILING="NAME N ERRNO" lets call N (from 1 on) of flock, fsync or
 * fdatasync, and all later ones, fail with this errno. Other calls return 0 and do nothing, except
 * flock, which locks.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/syscall.h>
#include <unistd.h>

static int has_failed(const char *name)
{
	static int nr_calls;
	char wanted[16] = "";
	int from, error;

	if (sscanf(getenv("FAILING") ?: "", "%15s %d %d", wanted, &from, &error) != 3)
		return 0;
	if (strcmp(wanted, name) || ++nr_calls < from)
		return 0;
	errno = error;
	return 1;
}

int flock(int fd, int operation)
{
	return has_failed("flock") ? -1 : (int)syscall(SYS_flock, fd, operation);
}

int fsync(int fd)
{
	(void)fd;
	return -has_failed("fsync");
}

int fdatasync(int fd)
{
	(void)fd;
	return -has_failed("fdatasync");
}
