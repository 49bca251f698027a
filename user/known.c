// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <sys/stat.h>

#include "known.h"
#include "mem.h"

struct known_file *known_find(struct known *known, uint64_t dev, uint64_t ino)
{
	struct known_file *file;

	for (file = known->files; file < known->files + known->nr; file++)
		if (file->dev == dev && file->ino == ino)
			return file;
	known->files = mem_grow(known->files, known->nr, sizeof(*known->files));
	file = &known->files[known->nr++];
	file->dev = dev;
	file->ino = ino;
	return file;
}

struct known_file *known_find_path(struct known *known, const char *path)
{
	struct stat st;

	return stat(path, &st) ? NULL : known_find(known, st.st_dev, st.st_ino);
}

void known_free(struct known *known)
{
	free(known->files);
	known->files = NULL;
	known->nr = 0;
}
