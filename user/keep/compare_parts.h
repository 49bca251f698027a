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
	uint64_t nr_samples;	/* of the document; with comparison->has_shares */
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
/* Reads the stacks of a profile as paths. */
int compare_read_stacks(struct reading *reading, struct json_object *stacks);

/* Adds up the samples of a profile: of its rows, or of its stacks. */
int compare_read_samples(struct reading *reading, struct json_object *list);
/* Returns the share of a number of samples, of a whole. */
uint64_t compare_share(const struct reading *reading, uint64_t nr, uint64_t whole);
/* Returns the row of a path, which is made if it is new. */
struct compare_row *compare_path_row(struct comparison *comparison, size_t parent, size_t path,
				     const char *name);

#endif
