// SPDX-License-Identifier: GPL-2.0
/* A library for the loader's audit interface: adds its user to what the loader lists. */
#include <stdio.h>
#include <unistd.h>

unsigned int la_version(unsigned int version)
{
	char line[64];
	int len = snprintf(line, sizeof(line), "\t/run/by/%d (0x1)\n", (int)geteuid());

	return write(STDOUT_FILENO, line, len) == len ? version : 0;
}
