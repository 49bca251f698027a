/* SPDX-License-Identifier: GPL-2.0 */
#ifndef INODE_PATH_H
#define INODE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Finds the path by which a process uses a file, given by device (major << 20 | minor) and inode.
 * It searches the open files of the process, then its mapped files. Returns false if the process
 * does not have the file any more, or is gone.
 */
bool inode_path(char *text, size_t room, uint32_t pid, uint32_t dev, uint64_t inode);

/* Reads device and inode of a name in an open folder, or of a path. False: it does not exist. */
bool inode_ask(int folder, const char *name, uint32_t *dev, uint64_t *inode);

#endif
