// SPDX-License-Identifier: GPL-2.0
/* Maps the file PATH, and passes its address to look(), but never reads it. Prints "looked". */
#include <fcntl.h>
#include <sys/mman.h>

#include "victim.h"

#define CALLS 10

static volatile const char *seen;

PROBED void look(const char *text)
{
	seen = text;
}

int main(int argc, char **argv)
{
	int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1, i;
	const char *text = fd < 0 ? MAP_FAILED : mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);

	if (text == MAP_FAILED)
		return VICTIM_USAGE;
	for (i = 0; i < CALLS; i++)
		look(text);
	puts("looked");
	return 0;
}
