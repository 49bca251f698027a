// SPDX-License-Identifier: GPL-2.0
/* A library for the loader's audit interface: creates a file if the loader runs it. */
#include <fcntl.h>
#include <unistd.h>

unsigned int la_version(unsigned int version)
{
	int fd = open(MARK, O_WRONLY | O_CREAT, 0666);

	return fd < 0 || close(fd) ? 0 : version;
}
