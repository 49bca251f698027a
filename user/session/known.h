/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KNOWN_H
#define KNOWN_H

#include <stdbool.h>
#include <stdint.h>

/* A file that was handled, by its device and inode. */
struct known_file {
	bool is_probed;		/* it was searched for functions, which were probed */
	bool is_loader;		/* it is the loader of a program */
	bool is_held;		/* its hook is probed: processes are held there */
};

struct known {
	struct known_entry *files;	/* a hash */
};

/* Finds the file, or adds it. */
struct known_file *known_find(struct known *known, uint64_t dev, uint64_t ino);
/* Returns NULL if no file exists at path. */
struct known_file *known_find_path(struct known *known, const char *path);
void known_free(struct known *known);

#endif
