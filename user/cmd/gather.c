// SPDX-License-Identifier: GPL-2.0
/* Options of the commands that count in the kernel, and how their rows are printed. */
#include <stdlib.h>

#include "cmd/cmd_gather.h"
#include "cmd/recording.h"
#include "report/chosen.h"
#include "report/fit.h"
#include "report/json_write.h"
#include "report/paths.h"
#include "report/unwind_text.h"
#include "session/kplan.h"
#include "session/unwinder.h"
#include "util/mem.h"
#include "util/out.h"

void gather_init(struct gather *gather, char **words)
{
	gather->words = words;
	gather->format = &format_table;
	gather->slow = recording_is_on() ? 0 : NOT_SLOW;
}

void gather_free(struct gather *gather)
{
	free(gather->pids.pids);
	free(gather->to.words);
	stacks_free(&gather->stacks);
}

int gather_command(const struct command *command, int argc, char **argv,
		   const struct gather_command *of)
{
	struct gather *gather = mem_alloc(of->size);
	int first, code;

	gather_init(gather, argv);
	code = cmd_parse(command, argc, argv, gather, &first);
	if (code < 0)
		code = of->go(gather, argv + first);
	if (of->free)
		of->free(gather);
	gather_free(gather);
	free(gather);
	return code;
}

int gather_parse_by(struct gather *gather, uint32_t keys, struct err *err)
{
	return gather->by ? chosen_parse(&gather->table, gather->by, keys, err) : 0;
}

void gather_print_document(const struct gather *gather, FILE *out,
			   const struct gather_moment *moment, struct json_object *document)
{
	if (gather->unwinder)
		json_add(document, "unwind", unwind_json(gather->unwinder->files,
							 gather->unwinder->nr));
	gather->format->document(out, document,
				 moment->is_one_of_many || moment->is_behind_events);
}

void gather_print_rows(const struct gather *gather, FILE *out, const struct gather_moment *moment,
		       const struct table *table)
{
	gather->format->rows(out, table, moment->is_one_of_many, moment->is_first);
}

void gather_print_paths(struct gather *gather, FILE *out, struct paths *paths)
{
	struct fit fit;

	fit_put(out, gather->format, paths, gather->max_size, &fit);
	gather->is_cut |= cmd_tell_fit(&fit) != CMD_OK;
	paths_free(paths);
}

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
	int error = chosen_read(&chosen, moment->ktr, moment->sessions, &gather->table,
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
