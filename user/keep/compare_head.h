/* SPDX-License-Identifier: GPL-2.0 */
/* What is said about the sides of a comparison before its rows. */
#ifndef COMPARE_HEAD_H
#define COMPARE_HEAD_H

#include <stdio.h>

#include "keep/compare.h"

/* Prints the sides, in what they are unlike, and what the figures and marks mean. */
void compare_head_print(FILE *out, const struct comparison *comparison);
/* Returns the same for programs: the head of a document. */
struct json_object *compare_head_json(const struct comparison *comparison);
/* Returns a title for a picture. The caller frees it. */
char *compare_title(const struct comparison *comparison);
/* Returns the events that all runs have lost. */
uint64_t compare_lost(const struct comparison *comparison);

#endif
