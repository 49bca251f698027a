/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORD_JSON_H
#define RECORD_JSON_H

#include "report/json_line.h"
#include "report/record.h"

/* Puts the value of a field that is there. */
char *record_put_json(struct json_line *line, char *to, const struct field *field,
		      const struct record *record);

#endif
