/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KNOWN_H
#define KNOWN_H

#include <stdbool.h>
#include <stdint.h>

/* A file that a session was told of, whatever its paths are. */
struct known_file {
	bool is_probed;		/* as far as it is asked for */
	bool is_loader;		/* of a program; is_held says whether processes wait in it */
	bool is_held;
};

struct known {
	struct known_entry *files;	/* a hash */
};

/* Entered as new where it is not there. */
struct known_file *known_find(struct known *known, uint64_t dev, uint64_t ino);
/* NULL: there is no such file. */
struct known_file *known_find_path(struct known *known, const char *path);
void known_free(struct known *known);

#endif
