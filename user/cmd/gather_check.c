// SPDX-License-Identifier: GPL-2.0
/* Which options of the commands that count in the kernel go together. */
#include "cmd/gather_check.h"
#include "cmd/named.h"
#include "cmd/to_sinks.h"

/* The module keeps one session, and nothing shows a tree of its stacks later. */
static int check_kept(const struct gather *config, const struct gather_view *view,
		      bool has_program, struct err *err)
{
	if (has_program || config->duration || config->interval || config->to.nr)
		return err_set(err, "--attach returns at once: omit -d, -i, --to and PROGRAM.");
	if (view->next)
		return err_set(err, "--attach keeps one session: choose one layer, such as --layers block.");
	if (gather_has_stack_rows(config))
		return err_set(err, "--attach keeps the stacks of single events only: add --slow TIME, or omit --stacks.");
	return named_check(config->kept, err);
}

int gather_check(struct gather *config, const struct gather_view *view, bool has_program,
		 struct err *err)
{
	bool has_records = config->slow != NOT_SLOW;

	if (config->kept && check_kept(config, view, has_program, err))
		return -1;
	if (config->to.nr &&
	    to_sinks_check(&config->to, &config->output, &config->format, has_program, err))
		return -1;

	if (!config->to.nr &&
	    format_check(config->format, &config->output, has_program, err))
		return -1;
	if (has_program && config->pids.nr)
		return err_set(err, "-p and -- PROGRAM cannot be combined; give one of them.");
	if (has_records && !config->format->record)
		return err_set(err, "--format %s has no single events; use --format table or json with --slow.",
			       config->format->name);
	if (cmd_check_max_size(config->max_size, config->format, err))
		return -1;
	if (config->interval && config->format->is_one)
		return err_set(err, "--format %s writes one file for the whole time: omit -i, or use --format json with -i.",
			       config->format->name);
	if (config->unwind && !config->with_stacks)
		return err_set(err, "--unwind chooses how stacks of programs are found: add --stacks.");
	if (config->min_time && has_records)
		return err_set(err, "--slow and --min-time cannot be combined: --slow shows single events, --min-time limits the table.");
	if (config->keeps_newest && (!has_records || !config->kept))
		return err_set(err, "--overwrite keeps the newest records of a session that stays: add --slow TIME and --attach NAME, and save them with ktrace snapshot NAME.");
	if (config->buffer && !has_records)
		return err_set(err, "--buffer sets the room for records of single events: add --slow TIME.");
	if (config->user && !has_program)
		return err_set(err, "--user needs a program: -- PROGRAM [ARGS]. --uid chooses the tasks of a user.");
	return 0;
}
