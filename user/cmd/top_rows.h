/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TOP_ROWS_H
#define TOP_ROWS_H

#include <stdio.h>

#include "cmd/top_tabs.h"
#include "report/table.h"

/*
 * Prints the tables of a sorted table's kind with the first rows that the filter leaves, as many as
 * fit. key: the name of the key that the filter looks at. Shares and totals stay those of all rows.
 */
void top_rows_print(FILE *out, const struct table *table, const char *key,
		    const struct top_rows *rows);

#endif
