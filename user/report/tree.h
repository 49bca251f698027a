/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "session/event.h"
#include "session/names.h"

/* Prints calls as they happen, as one indented tree per thread. */
struct tree;

struct tree_options {
	bool with_timestamp;
	uint64_t start;		/* ns, origin of timestamps */
};

struct tree *tree_create(FILE *out, const struct names *names,
			 const struct tree_options *options);
void tree_free(struct tree *tree);

/* Sets the origin of timestamps, before the first event. */
void tree_set_start(struct tree *tree, uint64_t start);
void tree_head(struct tree *tree);
void tree_event(struct tree *tree, const struct ktr_record *event);

/* Prints the waiting lines of calls that began until time; UINT64_MAX: of all calls. */
void tree_flush(struct tree *tree, uint64_t time);
/* Prints waiting lines of calls that block complete lines of other threads. */
void tree_settle(struct tree *tree);

#endif
