/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STAT_SHOW_H
#define STAT_SHOW_H

#include <stdio.h>

#include "report/stat.h"

struct json_object;

void stat_print(FILE *out, const struct stat_table *table);
/* is_first: with the line of names. */
void stat_print_csv(FILE *out, const struct stat_table *table, bool is_first);
struct json_object *stat_document(const struct stat_table *table);

#endif
