/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DYNAMIC_H
#define DYNAMIC_H

#include <stdbool.h>
#include <stddef.h>

/* Entries of a file's dynamic section. A string is NULL if the section has no such entry. */
struct dynamic {
	char *soname;
	char *rpath;		/* NULL if there is a runpath, which overrides it */
	char *runpath;
	char **needed;
	size_t nr_needed;
	size_t nr_letters;	/* of needed, together */
	bool has_no_default;	/* the loader searches neither the cache nor the system's folders */
};

/*
 * Reads the dynamic section of an open file. Returns false if the file is damaged or for another
 * machine, so that the loader tries the next one. A static file has no entries.
 */
bool dynamic_read(struct dynamic *dynamic, int fd);
void dynamic_free(struct dynamic *dynamic);

#endif
