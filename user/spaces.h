/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SPACES_H
#define SPACES_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "maps.h"

/* What processes have where in memory: read while they live, asked at any time after. */
struct spaces {
	struct maps *all;
	size_t nr;
	struct space_file *files;	/* whose symbols were read */
	size_t nr_files;
};

/* Reads it now, if the process lives; else what was read last stays. */
void spaces_look(struct spaces *spaces, pid_t pid);

/*
 * What is at an address, to be freed: "function", or "file+0xOFFSET" where that has no symbol,
 * or SPACES_UNKNOWN: nothing of a file, or it was never looked at.
 */
#define SPACES_UNKNOWN "[unknown]"
char *spaces_name(struct spaces *spaces, pid_t pid, uint64_t addr);

void spaces_free(struct spaces *spaces);

#endif
