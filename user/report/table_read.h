/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TABLE_READ_H
#define TABLE_READ_H

#include "report/key_names.h"
#include "report/table.h"

/* How rows of a table of the module become rows of a struct table. All figures are read. */
struct table_source {
	struct table *to;
	struct key_names names;	/* for keys whose kind has an id; these are read and named */
	bool is_total;		/* all rows are added to the total instead */
	/* returns flags for the columns that the module's table has; NULL: none */
	uint32_t (*flags_of)(const struct ktr_table *table);
	/*
	 * Adds a row with the other keys, or returns NULL to skip it. NULL: the table has no other
	 * keys.
	 */
	struct row *(*add)(void *arg, struct table *to, const struct ktr_row *row);
	void *arg;
};

/*
 * Reads the tables of a session: own takes the rows of the provider's own table, chosen takes the
 * rows of the table whose keys the session chose. Either may be NULL if it is not needed.
 * read_flags: KTRACE_READ_*. Returns 0 or a negative errno.
 */
int table_read(struct table_source *own, struct table_source *chosen, struct ktr *ktr,
	       uint64_t session, uint32_t read_flags);

#endif
