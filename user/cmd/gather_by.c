// SPDX-License-Identifier: GPL-2.0
#include "cmd/gather_by.h"
#include "report/chosen.h"
#include "session/kplan.h"
#include "util/out.h"

static void print(const struct gather *gather, FILE *out, const struct gather_moment *moment,
		  const struct chosen *chosen)
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
	if (gather->has_hist)
		chosen_print_hists(out, chosen);
	else
		chosen_print(out, chosen);
	if (gather->note)
		out_put(out, "\n%s\n", gather->note);
}

int gather_show_by(const struct gather *gather, const struct kplan *plan, FILE *out,
		const struct gather_moment *moment)
{
	struct chosen chosen = { .names = plan ? &plan->names : NULL };
	int error = chosen_read(&chosen, moment->nl, moment->sessions, &gather->table,
				moment->read_flags);

	chosen.table.duration_ns = moment->to - moment->from;
	chosen.table.has_hists = gather->has_hist;
	if (!error) {
		table_sort(&chosen.table, gather->sort);
		print(gather, out, moment, &chosen);
	}
	chosen_free(&chosen);
	return error;
}
