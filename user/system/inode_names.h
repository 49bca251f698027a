/* SPDX-License-Identifier: GPL-2.0 */
#ifndef INODE_NAMES_H
#define INODE_NAMES_H

#include <stddef.h>
#include <stdint.h>

/* A file by its file system's device (major << 20 | minor) and inode, and what it is called. */
struct inode_name {
	uint32_t dev;
	uint64_t inode;
	char *path;	/* to be freed; NULL: not known */
};

/*
 * Fills in paths of files, each of which stands for that file now: what the file system's own
 * memory has, as it is mounted here, then what processes call files that they have open.
 */
void inode_names_find(struct inode_name *names, size_t nr);	/* sorts them */
/* NULL: it is not known. */
const char *inode_names_path(const struct inode_name *names, size_t nr, uint32_t dev,
			     uint64_t inode);
/* Of one file, by its file system alone, which takes no time; NULL: not known. To be freed. */
char *inode_names_ask(uint32_t dev, uint64_t inode);
void inode_names_free(struct inode_name *names, size_t nr);

#endif
