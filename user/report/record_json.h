/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORD_JSON_H
#define RECORD_JSON_H

#include "report/json_line.h"
#include "report/record.h"

/* Puts the first members of a document, behind which others may follow. */
static inline char *record_begin_json(char *to, const struct record *record)
{
	memcpy(to, record->kind->json, sizeof(record->kind->json));
	return to + record->kind->json_len;
}

/* Puts the fields and the end of the document. */
char *record_end_json(struct json_line *line, char *to, const struct record *record);
/* Puts the value of a field that is there. */
char *record_put_json(struct json_line *line, char *to, const struct field *field,
		      const struct record *record);

#endif
