// SPDX-License-Identifier: GPL-2.0
#include <json-c/json.h>

#include "chain_rows.h"
#include "errno_names.h"
#include "json_parts.h"
#include "kfunc_table.h"

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

static struct json_object *chains_of(const struct chain_rows *rows)
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

void json_print_chains(FILE *out, const struct knl_session *session, const struct rows *rows,
		       const struct chain_rows *chains, uint64_t duration_ns, bool is_line)
{
	struct json_object *document = json_gathered_of(session, duration_ns);

	json_add(document, "functions", json_functions_of(rows));
	json_add(document, "chains", chains_of(chains));
	json_write(out, document, is_line ? 0 : JSON_C_TO_STRING_PRETTY);
}
