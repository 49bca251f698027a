/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LAST_NAMES_H
#define LAST_NAMES_H

#include <stddef.h>
#include <stdint.h>

#include "nl/nl_table.h"

/* What threads are called, which have several rows: the name of the row that counted last. */
struct last_names {
	struct last_name *all;
	size_t nr;
};

/* A row of a table that has the key tid. */
void last_names_see(struct last_names *names, const struct knl_row *row);
/* After all rows were seen, and before the first question. */
void last_names_sort(struct last_names *names);
/* NULL: no row of the thread was seen. It lives as long as the names. */
const char *last_names_get(const struct last_names *names, uint32_t tid);
void last_names_free(struct last_names *names);

#endif
