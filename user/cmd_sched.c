// SPDX-License-Identifier: GPL-2.0
/* ktrace sched: how long threads ran, waited for a CPU, and were blocked. */
#include <stdlib.h>
#include <string.h>

#include "cmd_gather.h"
#include "mem.h"
#include "sched_table.h"

struct config {
	struct gather gather;
	int is_wide;
	int with_hists;
	const char *sort;
	struct threads threads;
};

static const struct opt opts[] = {
	GATHER_OPTIONS(struct config, gather),
	{ 0, "wide", NULL, OPT_FLAG, offsetof(struct config, is_wide),
	  "wake-up latency apart; blocked in sleep, disk (uninterruptible), stopped", NULL },
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct config, with_hists),
	  "histograms of the times, of all threads together", NULL },
	{ 0, "sort", "COLUMN", OPT_CHOICE, offsetof(struct config, sort),
	  "run, wait, blocked, switches, avg or max (of waits), tid", SCHED_COLUMNS },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static void print_table(FILE *out, const struct config *config,
			const struct gather_moment *moment, const struct sched_rows *rows)
{
	gather_print_time(out, moment);
	sched_table_print(out, rows, config->is_wide);
	if (config->with_hists)
		sched_table_print_hists(out, rows);
	if (moment->is_one_of_many)
		fputc('\n', out);
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct sched_rows rows;
	int error;

	error = sched_rows_read(&rows, moment->nl, &moment->session, moment->read_flags,
				&config->threads);
	if (!error) {
		sched_rows_sort(&rows, config->sort);
		if (!strcmp(config->gather.format, "json"))
			json_print_sched(out, &moment->session, &rows, moment->to - moment->from,
					 moment->is_one_of_many);
		else
			print_table(out, config, moment, &rows);
	}
	sched_rows_free(&rows);
	return error;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config *config = mem_alloc(sizeof(*config));
	struct gather_view view = {
		.flags = KTRACE_F_SCHED | KTRACE_F_HIST | KTRACE_F_TREE | KTRACE_F_BY_TID,
		.what = "the time", .show = show, .threads = &config->threads, .arg = config,
	};
	int first, code;

	code = cmd_parse(command, argc, argv, config, &first);
	if (code >= 0)
		return code;
	config->sort = config->sort ? config->sort : "run";
	config->gather.format = config->gather.format ? config->gather.format : "table";
	code = gather_run(&config->gather, &view, argv + first);
	threads_free(&config->threads);
	gather_free(&config->gather);
	free(config);
	return code;
}

const struct command cmd_sched = {
	.name = "sched",
	.usage = "sched [options] [-p PID | -- PROGRAM [ARGS]]",
	.summary = "How long threads run, wait for a CPU, and are blocked.",
	.opts = opts,
	.examples = "  ktrace sched -- /bin/ls -R /usr/share\n"
		    "  ktrace sched -d 1 --sort wait --wide\n"
		    "  ktrace sched -p $$ -d 1 --hist\n",
	.has_program = true,
	.is_program_optional = true,
	.run = run,
};
