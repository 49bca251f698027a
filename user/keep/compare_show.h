/* SPDX-License-Identifier: GPL-2.0 */
/* A comparison as a table, and for programs. All of them are loops over COMPARE_FIGURES. */
#ifndef COMPARE_SHOW_H
#define COMPARE_SHOW_H

#include <stdio.h>

#include "keep/compare.h"

#define COMPARE_PERCENT_LEN 32

/* Formats the relative change: "+5.2%", or "new", "gone" or "from 0" if there is none. */
const char *compare_percent(char text[COMPARE_PERCENT_LEN], const struct compare_change *change,
			    const struct compare_row *row);
/* Returns the marks of a row, such as "only in B, at most", which the caller frees. */
char *compare_remark(const struct comparison *comparison, const struct compare_row *row);

/* Prints the rows, each on a line. */
void compare_table_print(FILE *out, const struct comparison *comparison);
/* Prints a line of names, and one line per row. */
void compare_csv_print(FILE *out, const struct comparison *comparison);
/* Returns a document, as in docs/schema/diff.json. */
struct json_object *compare_json(const struct comparison *comparison);
/* Returns side B in the Bencher Metric Format. */
struct json_object *compare_bmf(const struct comparison *comparison);

#endif
