// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "report/chain_rows.h"
#include "report/errno_names.h"
#include "report/json_parts.h"

static struct json_object *links_of(const struct chain_row *row)
{
	struct json_object *list = json_object_new_array(), *to;
	char error[ERRNO_NAME_LEN];
	size_t i;

	for (i = 0; i < row->nr; i++) {
		to = json_object_new_object();
		json_add_text(to, "name", row->links[i].name);
		json_add_text(to, "errno", errno_text(error, row->links[i].error));
		json_add_u64(to, "number", row->links[i].error);
		json_object_array_add(list, to);
	}
	return list;
}

struct json_object *json_chains_of(const struct chain_rows *rows)
{
	struct json_object *list = json_object_new_array(), *to;
	const struct chain_row *row;

	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		to = json_object_new_object();
		json_add_u64(to, "count", row->calls);
		json_add_u64(to, "total_ns", row->total_ns);
		json_add(to, "errors", links_of(row));
		if (row->gone_on)
			json_add_text(to, "went_on", row->gone_on);
		json_object_array_add(list, to);
	}
	return list;
}
