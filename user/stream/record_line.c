// SPDX-License-Identifier: GPL-2.0
#include "stream/record_line.h"

void record_line_put(FILE *out, const struct record *record, const struct identity *identity,
		     char end)
{
	char members[RECORD_MEMBERS_LEN];
	char *to = identity_put_json(members, identity);

	record_print_json_with(out, record, members, to - members, end);
}
