/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORD_LINE_H
#define RECORD_LINE_H

#include <stdio.h>

#include "report/record.h"
#include "stream/identity.h"

/* Prints a record with its identity as one JSON document; end: a line feed, or 0 for none. */
void record_line_put(FILE *out, const struct record *record, const struct identity *identity,
		     char end);

#endif
