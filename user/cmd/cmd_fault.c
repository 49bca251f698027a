// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "cmd/cmd_by.h"
#include "cmd/cmd_gather.h"
#include "util/mem.h"

#define KEYS (CHOSEN_TASK_KEYS | 1U << KTRACE_KEY_FAULT)

struct config {
	struct gather gather;
	const char *by;
	struct ktrace_table table;	/* the table that the module keeps */
	const char *sort;
	int with_hist;
};

static const struct opt opts[] = {
	HEADING("Figures"),
	{ 0, "by", "KEY[,KEY...]", OPT_STRING, offsetof(struct config, by),
	  "one row per " CHOSEN_FAULT_KEYS ", or per combination of these", NULL },
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct config, with_hist),
	  "one histogram per row", NULL },
	GATHER_MIN_TIME_OPTION(struct config, gather),
	{ 0, "sort", "COLUMN", OPT_CHOICE, offsetof(struct config, sort),
	  "total, faults, errors, avg, p99, max or name", "total|faults|errors|avg|p99|max|name" },
	GATHER_OPTIONS(struct config, gather),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	const struct config *config = arg;
	const struct cmd_by by = {
		.table = &config->table, .sort = config->sort, .with_hist = config->with_hist,
	};

	return cmd_by_show(&by, &config->gather, out, moment);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config *config = mem_alloc(sizeof(*config));
	struct gather_view view = { .what = "page faults", .show = show, .arg = config,
				    .provider = KTRACE_PROVIDER_FAULT,
				    .sinks = KTRACE_SINK_TABLE, .table = &config->table };
	struct err err;
	int first, code;

	config->gather.format = &format_table;
	code = cmd_parse(command, argc, argv, config, &first);
	if (code >= 0)
		return code;
	config->sort = config->sort ? config->sort : "total";
	if (chosen_parse(&config->table, config->by ? config->by : "fault", KEYS, &err))
		return cmd_fail(CMD_USAGE, &err);
	code = gather_run(&config->gather, &view, argv + first);
	gather_free(&config->gather);
	free(config);
	return code;
}

const struct command cmd_fault = {
	.name = "fault",
	.usage = "fault [options] [-p PID | -- PROGRAM [ARGS]]",
	.summary = "Time page faults: how often, how long, for which tasks.",
	.opts = opts,
	.examples = "  ktrace fault -- /bin/ls\n"
		    "  ktrace fault -d 1 --by pid,fault\n"
		    "  ktrace fault -p $$ -d 1 --min-time 1ms\n",
	.program = PROGRAM_MAYBE,
	.run = run,
};
