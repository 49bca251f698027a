/* SPDX-License-Identifier: GPL-2.0 */
#ifndef INODE_NAMES_H
#define INODE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* A file by its file system's device (major << 20 | minor) and inode, and its path. */
struct inode_name {
	uint32_t dev;
	uint64_t inode;
	char *path;	/* NULL: unknown; inode_names_free() frees it */
};

/*
 * Sorts the files and fills in their paths, each of which leads to the file now. First the file
 * systems are asked, if they are mounted here or in the mount namespace of a process and have the
 * path in memory, then the open files of all processes are searched. The path of a file that is
 * mounted only in another mount namespace is the path there.
 */
void inode_names_find(struct inode_name *names, size_t nr);
/* Returns the path that inode_names_find() has found for a file, or NULL. */
const char *inode_names_path(const struct inode_name *names, size_t nr, uint32_t dev,
			     uint64_t inode);
/* Asks the file system only, if it is mounted here, which is fast. Returns the path or NULL. The caller frees it. */
char *inode_names_ask(uint32_t dev, uint64_t inode);
void inode_names_free(struct inode_name *names, size_t nr);

#endif
