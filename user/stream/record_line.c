// SPDX-License-Identifier: GPL-2.0
#include "report/record_json.h"
#include "stream/record_line.h"

char *record_line_put(struct json_line *line, char *to, const struct record *record,
		      const struct identity *identity)
{
	to = identity_put_json(record_begin_json(to, record), identity);
	return record_end_json(line, to, record);
}
