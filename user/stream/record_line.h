/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORD_LINE_H
#define RECORD_LINE_H

#include <stdio.h>

#include "report/json_line.h"
#include "report/record.h"
#include "stream/identity.h"

/* Prints a record with its identity as one JSON document; end: a line feed, or 0 for none. */
void record_line_put(FILE *out, const struct record *record, const struct identity *identity,
		     char end);
/* Puts the document into a line that has no more than RECORD_LINE_BEFORE bytes yet. */
#define RECORD_LINE_BEFORE 512
char *record_line_add(struct json_line *line, char *to, const struct record *record,
		      const struct identity *identity);

#endif
