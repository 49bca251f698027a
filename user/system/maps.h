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
	uint64_t offset;	/* file offset of start */
	uint64_t dev;		/* from /proc/PID/maps; stat() may return another number */
	uint64_t inode;
	bool is_code;
	bool is_deleted;	/* the file was unlinked; another file may have the path now */
	char *path;		/* belongs to maps */
};

/* Executable memory without a file. */
struct made_code {
	uint64_t start, end;
	bool is_vdso;		/* the kernel's; otherwise made by the process at run time */
};

struct maps {
	pid_t pid;
	struct mapping *all;	/* in order of address */
	size_t nr;
	struct made_code *made;	/* in order of address */
	size_t nr_made;
	struct maps_path *paths;	/* of all mappings, each once */
	size_t nr_letters;		/* of paths */
};

/* Finds no mappings if there is no such process. The caller calls maps_free() in either case. */
void maps_read(struct maps *maps, pid_t pid);
void maps_free(struct maps *maps);

/* Returns true if the process has memory. A zombie has none. */
bool maps_has_memory(pid_t pid);

const struct mapping *maps_find(const struct maps *maps, uint64_t addr);
const struct made_code *maps_find_made(const struct maps *maps, uint64_t addr);

/*
 * Returns a path that opens the mapped file itself, even if it was renamed or deleted, or is in
 * another mount namespace. The caller frees it.
 */
char *maps_file(const struct maps *maps, const struct mapping *mapping);

/* Finds the numbers that maps show for an open file. Returns false if it cannot be mapped. */
bool maps_numbers(int fd, uint64_t *dev, uint64_t *inode);

/* Returns true if fd is open on the mapped file. */
bool maps_is_of(const struct mapping *mapping, int fd);

#endif
