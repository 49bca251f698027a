/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ORDERS_H
#define ORDERS_H

#include <stdbool.h>
#include <stdint.h>

#include "util/err.h"

struct table_kind;

/* A table that a command prints: flags that it always has, and all that it can have. */
struct orders_table {
	const struct table_kind *kind;	/* NULL: the command has no such table */
	uint32_t always, possible;
};

/* What --sort of a command takes: the columns of its own tables, and of the rows of --by. */
struct orders {
	struct orders_table own, by;
};

/* Both return a text that the caller frees: all names with bars between, and the option's help. */
char *orders_names(const struct orders *orders);
char *orders_help(const struct orders *orders);
/*
 * Refuses a name that only the other table has. order: a name of orders_names(), or NULL. has_by:
 * --by is given. Returns 0, or -1 with err set.
 */
int orders_check(const struct orders *orders, const char *order, bool has_by, struct err *err);

#endif
