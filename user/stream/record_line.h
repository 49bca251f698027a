/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORD_LINE_H
#define RECORD_LINE_H

#include "report/json_line.h"
#include "report/record.h"
#include "stream/identity.h"

#define RECORD_LINE_BEFORE 512

/*
 * Puts a record with its identity as one JSON document, behind at most RECORD_LINE_BEFORE bytes at
 * the begin of the line.
 */
char *record_line_put(struct json_line *line, char *to, const struct record *record,
		      const struct identity *identity);

#endif
