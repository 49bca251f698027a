/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SPACES_H
#define SPACES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "system/maps.h"

/* What processes have where in memory: read while they live, kept until their last stack is. */
struct spaces {
	struct space *all;		/* a hash */
	struct space_file *files;	/* a hash; whose symbols were read */
	size_t most;			/* processes to keep before the ended ones are looked for */
	bool is_forgetting;
};

/* Reads it now, if the process lives; else what was read last stays. */
void spaces_look(struct spaces *spaces, pid_t pid);

/*
 * Around a read of stacks: a process that had ended before it will have no more of them, so
 * it, and files that only it had mapped, may be forgotten after it.
 */
void spaces_begin(struct spaces *spaces);
void spaces_end(struct spaces *spaces);

/*
 * What is at an address, to be freed: "function", or "file+0xOFFSET" where that has no symbol,
 * or SPACES_UNKNOWN: nothing of a file, or it was never looked at.
 */
#define SPACES_UNKNOWN "[unknown]"
char *spaces_name(struct spaces *spaces, pid_t pid, uint64_t addr);

void spaces_free(struct spaces *spaces);

#endif
