/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MAPS_H
#define MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

/* A file, or a part of one, in the memory of a process. */
struct mapping {
	uint64_t start, end;
	uint64_t offset;	/* of start, in the file */
	uint64_t dev;		/* as /proc/PID/maps has it, which may not be what stat() says */
	uint64_t inode;
	bool is_code;
	bool is_deleted;	/* its path is gone, or another file's by now */
	char *path;
};

struct maps {
	pid_t pid;
	struct mapping *all;	/* in order of address */
	size_t nr;
};

/* Empty where there is no such process. maps_free() in either case. */
void maps_read(struct maps *maps, pid_t pid);
void maps_free(struct maps *maps);

/* Does the process live and have memory? A zombie has none. */
bool maps_has_memory(pid_t pid);

const struct mapping *maps_find(const struct maps *maps, uint64_t addr);

/*
 * By what the very file is opened, whatever its path is by now, and whichever
 * mount namespace has it. To be freed.
 */
char *maps_file(const struct maps *maps, const struct mapping *mapping);

/* Is the open file that of the mapping? */
bool maps_is_of(const struct mapping *mapping, int fd);

#endif
