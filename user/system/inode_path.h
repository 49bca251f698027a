/* SPDX-License-Identifier: GPL-2.0 */
#ifndef INODE_PATH_H
#define INODE_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * What a process calls a file, by its device (major << 20 | minor) and inode: among those that
 * it has open, then those in its memory. False: it has it no more, or has gone.
 */
bool inode_path(char *text, size_t room, uint32_t pid, uint32_t dev, uint64_t inode);

/* What a name in an open folder, or a path, stands for. False: there is none. */
bool inode_ask(int folder, const char *name, uint32_t *dev, uint64_t *inode);

#endif
