// SPDX-License-Identifier: GPL-2.0
#include "report/chain_rows.h"
#include "report/errno_names.h"
#include "util/fmt.h"
#include "util/out.h"

#define INDENT "                           "

static void print_links(FILE *out, const struct chain_row *row)
{
	char error[ERRNO_NAME_LEN];
	size_t i;

	for (i = 0; i < row->nr; i++) {
		if (i)
			out_put(out, INDENT);
		out_put(out, "%*s%s: %s\n", 2 * (int)i, "", row->links[i].name,
			errno_text(error, row->links[i].error));
	}
	if (row->gone_on)
		out_put(out, INDENT "%*s%s went on\n", 2 * (int)i, "", row->gone_on);
}

void chain_rows_print(FILE *out, const struct chain_rows *rows)
{
	const struct chain_row *row;
	char total[FMT_LEN];

	if (!rows->nr) {
		out_put(out, "No function returned an error.\n");
		return;
	}
	out_put(out, "  %10s  %11s  %s\n", "TOTAL TIME", "TIMES", "ERRORS, THE DEEPEST FIRST");
	for (row = rows->rows; row < rows->rows + rows->nr; row++) {
		out_put(out, "  %10s  %11llu  ", fmt_duration(total, row->total_ns),
			(unsigned long long)row->calls);
		print_links(out, row);
	}
}
