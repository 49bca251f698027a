// SPDX-License-Identifier: GPL-2.0
/* ktrace sched: how long threads ran, waited for a CPU, and were blocked. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_gather.h"
#include "report/chosen.h"
#include "report/layout.h"
#include "report/orders.h"
#include "report/sched_table.h"
#include "report/stack_table.h"
#include "util/mem.h"

struct config {
	struct gather gather;
	int is_wide;
};

static const struct orders orders = {
	.own = { &sched_threads, .possible = ~0U },
	.by = { &chosen_kind, CHOSEN_PERIODS, CHOSEN_PERIODS },
};

static const struct opt opts[] = {
	HEADING("Figures"),
	BY_OPTION(struct config, gather.by, CHOSEN_SCHED_KEYS),
	{ 0, "wide", NULL, OPT_FLAG, offsetof(struct config, is_wide),
	  "also show wake-up latency, and split blocked into sleep, disk (uninterruptible) and stopped", NULL },
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct config, gather.has_hist),
	  "one histogram per kind of period or, with --by, per row", NULL },
	GATHER_STACKS_OPTION(struct config, gather,
			     "time off the CPU by stack; with --slow: the stack of each period"),
	GATHER_MIN_TIME_OPTION(struct config, gather),
	SORT_OPTION(struct config, gather.sort, orders),
	HEADING("Single periods"),
	GATHER_SLOW_OPTION(struct config, gather,
			   "also each period of at least TIME (10ms, 0 for all) on a CPU, waiting or blocked"),
	GATHER_RECORD_OPTIONS(struct config, gather),
	GATHER_OPTIONS_WITH(struct config, gather, FORMATS_OF_STACKS),
	MAX_SIZE_OPTION(struct config, gather.max_size),
	GATHER_ATTACH_OPTION(struct config, gather),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static void print(FILE *out, struct config *config, const struct gather_moment *moment,
		  const struct table *threads, const struct table *stacks)
{
	const struct output_format *format = config->gather.format;
	struct paths paths;

	if (format->document) {
		gather_print_document(&config->gather, out, moment,
				      sched_document(moment->sessions, threads, stacks));
	} else if (format->rows) {
		gather_print_rows(&config->gather, out, moment, threads);
	} else if (format->paths) {
		stack_table_paths(&paths, stacks);
		gather_print_paths(&config->gather, out, &paths);
	} else if (stacks) {
		stack_table_print(out, stacks);
	} else {
		sched_print(out, threads);
		if (config->gather.has_hist)
			sched_print_hists(out, threads);
	}
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct table stacks = { .nr = 0 }, threads;
	int error;

	error = sched_read(&threads, moment->ktr, moment->sessions, moment->read_flags);
	threads.flags = config->is_wide ? SCHED_WIDE : 0;
	threads.duration_ns = moment->to - moment->from;
	threads.has_hists = config->gather.has_hist;
	if (!error && gather_has_stack_rows(&config->gather))
		error = stack_table_read(&stacks, moment->ktr, moment->sessions, moment->read_flags,
					 &threads, &config->gather.stacks);
	if (!error) {
		table_sort(&threads, config->gather.sort);
		print(out, config, moment, &threads,
		      gather_has_stack_rows(&config->gather) ? &stacks : NULL);
	}
	table_free(&stacks);
	table_free(&threads);
	return error;
}

/* --- options ---------------------------------------------------------------- */

#define CHOSEN_KEYS (CHOSEN_TASK_KEYS | 1U << KTRACE_KEY_PERIOD)

/* Times on and off a CPU must not be added up, so the period is always a key. */
static int choose_keys(struct config *config, struct err *err)
{
	uint32_t *keys = config->gather.table.keys;
	int i;

	if (gather_parse_by(&config->gather, CHOSEN_KEYS, err))
		return -1;
	for (i = 0; i < KTRACE_TABLE_KEYS && keys[i]; i++)
		if (keys[i] == KTRACE_KEY_PERIOD)
			return 0;
	if (i == KTRACE_TABLE_KEYS)
		return err_set(err, "--by takes at most three keys in addition to the period, which is always a key; not '%s'.",
			       config->gather.by);
	keys[i] = KTRACE_KEY_PERIOD;
	return 0;
}

static int check(struct config *config, struct err *err)
{
	const struct gather *gather = &config->gather;
	bool has_stack_rows = gather_has_stack_rows(gather);

	if (!has_stack_rows && gather->format->paths)
		return err_set(err, gather->with_stacks ? "--format %s needs --stacks of all periods: omit --slow." :
			       "--format %s needs --stacks: add --stacks.",
			       gather->format->name);
	if (has_stack_rows && gather->format->rows)
		return err_set(err, "--format %s has no stacks; use --format table, json, or one of paths, such as folded or flame, with --stacks.",
			       gather->format->name);
	if (has_stack_rows && (config->is_wide || gather->has_hist || gather->sort || gather->by))
		return err_set(err, "--stacks cannot be combined with --wide, --hist, --by or --sort, which are for threads.");
	if (gather->by && config->is_wide)
		return err_set(err, "--by has a row for each kind of period: omit --wide.");
	if (orders_check(&orders, gather->sort, gather->by, err))
		return -1;
	return gather->by ? choose_keys(config, err) : 0;
}

static int go(void *arg, char **program)
{
	struct config *config = arg;
	struct gather_view view = {
		.provider = KTRACE_PROVIDER_SCHED, .table = &sched_by_thread,
		.sinks = KTRACE_SINK_TABLE | KTRACE_SINK_HIST,
		.what = "the time", .show = show,
		.event_id = EVENT_PERIOD, .events = "periods",
		.arg = config,
	};
	struct err err;

	if (check(config, &err))
		return cmd_fail(CMD_USAGE, &err);
	config->gather.sort = config->gather.sort ? config->gather.sort : config->gather.by ? "total" : "run";
	if (config->gather.with_stacks)
		view.sinks |= KTRACE_SINK_TREE;
	return gather_run(&config->gather, &view, program);
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct gather_command of = { sizeof(struct config), go, NULL };

	return gather_command(command, argc, argv, &of);
}

const struct command cmd_sched = {
	.name = "sched",
	.usage = "sched [options] [-p PID | -- PROGRAM [ARGS]]",
	.summary = "Show how long threads run, wait for a CPU, and are blocked.",
	.opts = opts,
	.examples = "  ktrace sched -- /bin/ls -R /usr/share\n"
		    "  ktrace sched -d 1 --sort wait --wide\n"
		    "  ktrace sched -d 1 --by comm,cpu --sort p99\n"
		    "  ktrace sched --slow 100ms --stacks -d 1\n"
		    "  ktrace sched --stacks -d 1\n",
	.program = PROGRAM_MAYBE,
	.run = run,
};
