/* SPDX-License-Identifier: GPL-2.0 */
/* What the user of ktrace top has chosen, and what keys change. */
#ifndef TOP_STATE_H
#define TOP_STATE_H

#include <stdbool.h>
#include <stddef.h>

#include "cmd/top_tabs.h"

#define TOP_FILTER_LEN 64

struct top_state {
	size_t tab;			/* index in top_tabs */
	size_t orders[TOP_NR_TABS];	/* index of the order of each tab */
	char filter[TOP_FILTER_LEN];	/* only rows with this in their names; "": all */
	bool is_typing;			/* keys go to the filter */
	bool is_paused;
	bool has_help;
	bool is_over;
};

/* Acts on a key (util/keys.h). Returns true if the picture changes. */
bool top_state_key(struct top_state *state, int key);

/* Returns the name of the column by which the rows of the tab are sorted. */
const char *top_state_order(const struct top_state *state);

/*
 * Does the filter leave this name? A filter with * or ? is a pattern for the whole name, as in the
 * options of other commands; any other one is a part of it.
 */
bool top_filter_has(const char *filter, const char *name);

#endif
