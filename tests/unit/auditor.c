// SPDX-License-Identifier: GPL-2.0
/* A library for the loader's audit interface: leaves a file where it was run. */
#include <fcntl.h>
#include <unistd.h>

unsigned int la_version(unsigned int version)
{
	int fd = open(MARK, O_WRONLY | O_CREAT, 0666);

	return fd < 0 || close(fd) ? 0 : version;
}
