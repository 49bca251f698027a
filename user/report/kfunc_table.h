/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KFUNC_TABLE_H
#define KFUNC_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "report/rows.h"

/* Kernel functions, a line each, in the order of the rows; or that there are no calls. */
void kfunc_table_print(FILE *out, const struct rows *rows);

bool kfunc_table_has_calls(const struct rows *rows);

#endif
