/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STACKS_H
#define STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"
#include "report/spaces.h"

/*
 * Where a task was, and what it was called: names of frames, of the kernel, then of its
 * program; innermost first.
 */
struct stack {
	char *comm;
	char **frames;
	size_t nr_kernel;
	size_t nr;
	uint32_t flags;		/* KTRACE_STACK_* */
};

/* All of a session with KTRACE_SINK_STACKS, by the module's numbers. */
struct stacks {
	struct stack *all;
	size_t nr;
	struct spaces spaces;
};

/*
 * Those that have come since the last time. Often: where a program has its functions is asked
 * while it lives. 0 or a negative errno.
 */
int stacks_read(struct stacks *stacks, struct knl *nl, uint64_t session);
void stacks_free(struct stacks *stacks);

/* NULL: it is not known. */
const struct stack *stacks_get(const struct stacks *stacks, uint32_t nr);

#endif
