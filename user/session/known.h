/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KNOWN_H
#define KNOWN_H

#include <stdbool.h>
#include <stdint.h>

/* A file that was handled, by its device and inode. */
struct known_file {
	bool is_probed;		/* as far as the options want it */
	bool is_loader;		/* a program's loader; is_held: processes wait in it */
	bool is_held;
};

struct known {
	struct known_entry *files;	/* a hash */
};

/* Adds the file if it is not there. */
struct known_file *known_find(struct known *known, uint64_t dev, uint64_t ino);
/* NULL: there is no such file. */
struct known_file *known_find_path(struct known *known, const char *path);
void known_free(struct known *known);

#endif
