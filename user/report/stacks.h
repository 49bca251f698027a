/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STACKS_H
#define STACKS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "report/spaces.h"

struct unwinder;

/*
 * The stack of a task, and the task's name. Frames of the kernel come first, then frames of its
 * program; the innermost first.
 */
struct stack {
	char *comm;
	char **frames;
	size_t nr_kernel;
	size_t nr;
	uint32_t flags;		/* KTRACE_STACK_* */
};

/* All stacks of a session with KTRACE_SINK_STACKS, indexed by the module's numbers. */
struct stacks {
	struct stack *all;
	size_t nr;
	struct spaces spaces;
	bool has_places;	/* the command sets it, if it needs them */
	struct space_place **places;	/* with has_places; indexed like all */
	size_t nr_places;
	size_t nr_known;	/* files of the unwinder that spaces know */
};

/*
 * Reads the stacks that are new since the last call. Must be called often, because the mappings of
 * a program can only be read while it lives. unwinder: of the session, or NULL. Returns 0 or a
 * negative errno.
 */
int stacks_read(struct stacks *stacks, struct ktr *ktr, uint64_t session,
		const struct unwinder *unwinder);
void stacks_free(struct stacks *stacks);
/* Frees the stacks, for another session, and keeps what is known of processes and their files. */
void stacks_forget(struct stacks *stacks);

/* Returns NULL if the stack is not known. */
const struct stack *stacks_get(const struct stacks *stacks, uint32_t nr);
/* Returns the places of the program's frames of one of the stacks, or NULL. */
const struct space_place *stacks_places(const struct stacks *stacks, const struct stack *stack);

#endif
