// SPDX-License-Identifier: GPL-2.0
#include "cmd/cmd_by.h"
#include "util/out.h"

static void print(const struct cmd_by *by, const struct gather *gather, FILE *out,
		  const struct gather_moment *moment, const struct chosen *chosen)
{
	if (gather->format->document) {
		gather_print_document(gather, out, moment,
				      chosen_document(moment->sessions, chosen));
		return;
	}
	if (gather->format->rows) {
		gather_print_rows(gather, out, moment, &chosen->table);
		return;
	}
	if (by->with_hist)
		chosen_print_hists(out, chosen);
	else
		chosen_print(out, chosen);
	if (by->note)
		out_put(out, "\n%s\n", by->note);
}

int cmd_by_show(const struct cmd_by *by, const struct gather *gather, FILE *out,
		const struct gather_moment *moment)
{
	struct chosen chosen = { .names = by->names };
	int error = chosen_read(&chosen, moment->nl, moment->sessions, by->table,
				moment->read_flags);

	chosen.table.duration_ns = moment->to - moment->from;
	chosen.table.has_hists = by->with_hist;
	if (!error) {
		table_sort(&chosen.table, by->sort);
		print(by, gather, out, moment, &chosen);
	}
	chosen_free(&chosen);
	return error;
}
