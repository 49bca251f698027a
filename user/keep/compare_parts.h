/* SPDX-License-Identifier: GPL-2.0 */
/* What the readers of documents share. */
#ifndef COMPARE_PARTS_H
#define COMPARE_PARTS_H

#include "keep/compare.h"
#include "util/err.h"

/* A document that is being read. */
struct reading {
	struct comparison *comparison;
	enum compare_side side;
	size_t run;
	const char *path;
	bool has_losses;
	const char *list;	/* for err: "row" or "node", ... */
	size_t nr;		/* ... and its number, from 0 on */
	struct err *err;
};

/* Returns 1 and sets *number, 0 if there is no such member, or -1 with err set. */
int compare_read_number(struct reading *reading, struct json_object *from, const char *name,
			uint64_t *number);
/* Counts all figures that an object has. Returns 0, or -1 with err set, as do those below. */
int compare_count_row(struct reading *reading, struct compare_row *row, struct json_object *from);
int compare_read_rows(struct reading *reading, struct json_object *rows);
int compare_read_tree(struct reading *reading, struct json_object *tree);

#endif
