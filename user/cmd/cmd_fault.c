// SPDX-License-Identifier: GPL-2.0
#include "cmd/cmd_gather.h"
#include "report/chosen.h"
#include "report/orders.h"

#define KEYS (CHOSEN_TASK_KEYS | 1U << KTRACE_KEY_FAULT)

struct config {
	struct gather gather;
};

static const struct orders orders = {
	.own = { &chosen_kind, CHOSEN_FAULTS, CHOSEN_FAULTS | CHOSEN_ERRORS },
};

static const struct opt opts[] = {
	HEADING("Figures"),
	BY_OPTION(struct config, gather.by, CHOSEN_FAULT_KEYS),
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct config, gather.has_hist),
	  "one histogram per row", NULL },
	GATHER_MIN_TIME_OPTION(struct config, gather),
	SORT_OPTION(struct config, gather.sort, orders),
	HEADING("Single faults"),
	GATHER_SLOW_OPTION(struct config, gather, "also each fault of at least TIME (10ms, 0 for all)"),
	GATHER_RECORD_OPTIONS(struct config, gather),
	GATHER_OPTIONS(struct config, gather),
	GATHER_ATTACH_OPTION(struct config, gather),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static int go(void *arg, char **program)
{
	const struct gather_view view = {
		.what = "page faults", .provider = KTRACE_PROVIDER_FAULT,
		.event_id = EVENT_FAULT, .events = "faults",
	};
	struct config *config = arg;
	struct gather *gather = &config->gather;
	struct err err;

	gather->by = gather->by ? gather->by : "fault";
	gather->sort = gather->sort ? gather->sort : "total";
	if (gather_parse_by(gather, KEYS, &err))
		return cmd_fail(CMD_USAGE, &err);
	return gather_run(gather, &view, program);
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct gather_command of = { sizeof(struct config), go, NULL };

	return gather_command(command, argc, argv, &of);
}

const struct command cmd_fault = {
	.name = "fault",
	.usage = "fault [options] [-p PID | -- PROGRAM [ARGS]]",
	.summary = "Time page faults: how often, how long, for which tasks.",
	.opts = opts,
	.examples = "  ktrace fault -- /bin/ls\n"
		    "  ktrace fault -d 1 --by pid,fault\n"
		    "  ktrace fault -p $$ -d 1 --min-time 1ms\n"
		    "  ktrace fault --slow 1ms -d 1\n",
	.program = PROGRAM_MAYBE,
	.run = run,
};
