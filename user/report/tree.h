/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TREE_H
#define TREE_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "session/event.h"
#include "session/names.h"

/* Prints calls as they happen, each thread's as an indented tree. */
struct tree;

struct tree_options {
	bool with_timestamp;
	uint64_t start;		/* ns, what timestamps count from */
};

struct tree *tree_create(FILE *out, const struct names *names,
			 const struct tree_options *options);
void tree_free(struct tree *tree);

void tree_head(struct tree *tree);
void tree_event(struct tree *tree, const struct event *event);

/* Shows calls that have been running since before time; UINT64_MAX: all. */
void tree_flush(struct tree *tree, uint64_t time);
/* Shows calls that lines of other threads wait for, so that all whole lines are printed. */
void tree_settle(struct tree *tree);

#endif
