/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TABLE_H
#define TABLE_H

#include <stdio.h>

#include "report/rows.h"

/* The summary, a line a row, in the order of the rows. */
void table_print(FILE *out, const struct rows *rows);

/* A histogram a row. */
void table_print_hists(FILE *out, const struct rows *rows);

#endif
