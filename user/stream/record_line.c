// SPDX-License-Identifier: GPL-2.0
#include "report/record_json.h"
#include "stream/record_line.h"

char *record_line_add(struct json_line *line, char *to, const struct record *record,
		      const struct identity *identity)
{
	to = identity_put_json(record_begin_json(to, record), identity);
	return record_end_json(line, to, record);
}

void record_line_put(FILE *out, const struct record *record, const struct identity *identity,
		     char end)
{
	struct json_line line;
	char *to;

	line.out = out;
	to = record_line_add(&line, line.text, record, identity);
	*to = end;
	json_line_flush(&line, to + !!end);
}
