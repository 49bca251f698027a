/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TABLE_READ_H
#define TABLE_READ_H

#include "report/key_names.h"
#include "report/table.h"

/* How rows of a table of the module become rows of a table here: all that the module counts. */
struct table_source {
	struct table *to;
	struct key_names names;	/* keys whose kind has an id are read, and named by these */
	uint32_t part;		/* KTRACE_KEY_*: its number is that of a row's part; 0: there is one */
	enum figure needs;	/* rows without this are left out; FIG_NONE: all are taken */
	bool is_total;		/* all rows together are the total, and there are no others */
	/* Adds a row, with its other keys; returns NULL if it is not wanted. NULL: there are none. */
	struct row *(*add)(void *arg, struct table *to, const struct knl_row *row);
	void *arg;
};

/*
 * Adds the rows of a session: of the table by function, and of the one whose keys the session
 * chose; NULL: it is not wanted. flags: KTRACE_READ_*. 0 or a negative errno.
 */
int table_read(struct table_source *own, struct table_source *chosen, struct knl *nl,
	       uint64_t session, uint32_t read_flags);

#endif
