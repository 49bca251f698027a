/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DYNAMIC_H
#define DYNAMIC_H

#include <stdbool.h>
#include <stddef.h>

/* What a program or library tells its loader. Strings are NULL where it does not. */
struct dynamic {
	char *soname;
	char *rpath;		/* not with a runpath, which overrides it */
	char *runpath;
	char **needed;
	size_t nr_needed;
	bool has_no_default;	/* neither the cache nor the system's folders are for it */
};

/*
 * Reads it from a file that is open, a little at a time. False: the loader
 * would not take the file, since it is damaged or for another machine.
 */
bool dynamic_read(struct dynamic *dynamic, int fd);
void dynamic_free(struct dynamic *dynamic);

#endif
