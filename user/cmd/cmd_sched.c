// SPDX-License-Identifier: GPL-2.0
/* ktrace sched: how long threads ran, waited for a CPU, and were blocked. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_by.h"
#include "cmd/cmd_gather.h"
#include "report/chosen.h"
#include "report/layout.h"
#include "report/sched_table.h"
#include "report/stack_table.h"
#include "util/mem.h"
#include "util/words.h"

struct config {
	struct gather gather;
	int is_wide;
	int with_hists;
	int with_stacks;
	uint64_t slow;		/* ns; NOT_SLOW: single periods are not shown */
	const char *by;
	struct ktrace_table table;	/* the table that the module keeps with --by */
	const char *sort;
	struct stacks stacks;
};

#define ROW_COLUMNS "total|count|avg|p99|max|name"

static const struct opt opts[] = {
	HEADING("Figures"),
	{ 0, "by", "KEY[,KEY...]", OPT_STRING, offsetof(struct config, by),
	  "one row per " CHOSEN_SCHED_KEYS ", or per combination of these", NULL },
	{ 0, "wide", NULL, OPT_FLAG, offsetof(struct config, is_wide),
	  "also show wake-up latency, and split blocked into sleep, disk (uninterruptible) and stopped", NULL },
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct config, with_hists),
	  "one histogram per kind of period or, with --by, per row", NULL },
	{ 0, "stacks", NULL, OPT_FLAG, offsetof(struct config, with_stacks),
	  "time off the CPU by stack; with --slow: the stack of each period", NULL },
	GATHER_MIN_TIME_OPTION(struct config, gather),
	{ 0, "sort", "COLUMN", OPT_CHOICE, offsetof(struct config, sort),
	  "run, wait, blocked, switches, avg or max (of waits), tid; with --by: " ROW_COLUMNS,
	  SCHED_COLUMNS "|total|count|p99|name" },
	HEADING("Single periods"),
	{ 0, "slow", "TIME", OPT_TIME, offsetof(struct config, slow),
	  "also each period of at least TIME (10ms, 0 for all) on a CPU, waiting or blocked", NULL },
	GATHER_BUFFER_OPTION(struct config, gather),
	MOMENT_OPTION,
	GATHER_OPTIONS_WITH(struct config, gather, FORMATS_OF_STACKS),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* With --slow, stacks belong to single periods. */
static bool has_stack_rows(const struct config *config)
{
	return config->with_stacks && config->slow == NOT_SLOW;
}

static void print(FILE *out, const struct config *config, const struct gather_moment *moment,
		  const struct table *threads, const struct table *stacks)
{
	const struct output_format *format = config->gather.format;

	if (format->document) {
		gather_print_document(&config->gather, out, moment,
				      sched_document(moment->sessions, threads, stacks));
	} else if (format->rows) {
		gather_print_rows(&config->gather, out, moment, threads);
	} else if (format->stacks) {
		format->stacks(out, stacks);
	} else if (stacks) {
		stack_table_print(out, stacks);
	} else {
		sched_print(out, threads);
		if (config->with_hists)
			sched_print_hists(out, threads);
	}
}

static int show_chosen(const struct config *config, FILE *out, const struct gather_moment *moment)
{
	const struct cmd_by by = {
		.table = &config->table, .sort = config->sort, .with_hist = config->with_hists,
	};

	return cmd_by_show(&by, &config->gather, out, moment);
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct table stacks = { .nr = 0 }, threads;
	int error;

	if (config->by)
		return show_chosen(config, out, moment);
	error = sched_read(&threads, moment->nl, moment->sessions, moment->read_flags);
	threads.flags = config->is_wide ? SCHED_WIDE : 0;
	threads.duration_ns = moment->to - moment->from;
	threads.has_hists = config->with_hists;
	if (!error && has_stack_rows(config))
		error = stack_table_read(&stacks, moment->nl, moment->sessions, moment->read_flags,
					 &threads, &config->stacks);
	if (!error) {
		table_sort(&threads, config->sort);
		print(out, config, moment, &threads, has_stack_rows(config) ? &stacks : NULL);
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
	uint32_t *keys = config->table.keys;
	int i;

	if (chosen_parse(&config->table, config->by, CHOSEN_KEYS, err))
		return -1;
	for (i = 0; i < KTRACE_TABLE_KEYS && keys[i]; i++)
		if (keys[i] == KTRACE_KEY_PERIOD)
			return 0;
	if (i == KTRACE_TABLE_KEYS)
		return err_set(err, "--by takes at most three keys in addition to the period, which is always a key; not '%s'.",
			       config->by);
	keys[i] = KTRACE_KEY_PERIOD;
	return 0;
}

static int check(struct config *config, struct err *err)
{
	const char *columns = config->by ? ROW_COLUMNS : SCHED_COLUMNS;

	if (!has_stack_rows(config) && config->gather.format->stacks)
		return err_set(err, config->with_stacks ? "--format %s needs --stacks of all periods: omit --slow." :
			       "--format %s needs --stacks: add --stacks.",
			       config->gather.format->name);
	if (has_stack_rows(config) && config->gather.format->rows)
		return err_set(err, "--format %s has no stacks; use --format table, json or folded with --stacks.",
			       config->gather.format->name);
	if (has_stack_rows(config) && (config->is_wide || config->with_hists || config->sort || config->by))
		return err_set(err, "--stacks cannot be combined with --wide, --hist, --by or --sort, which are for threads.");
	if (config->by && config->is_wide)
		return err_set(err, "--by has a row for each kind of period: omit --wide.");
	if (config->sort && words_find(columns, config->sort) < 0)
		return err_set(err, "--sort cannot be %s %s --by; choose one of %s.", config->sort,
			       config->by ? "with" : "without", columns);
	return config->by ? choose_keys(config, err) : 0;
}

static int go(struct config *config, char **program)
{
	struct gather_view view = {
		.provider = KTRACE_PROVIDER_SCHED, .sinks = KTRACE_SINK_TABLE,
		.what = "the time", .show = show,
		.event_id = EVENT_PERIOD, .events = "periods",
		.arg = config,
	};
	struct err err;

	if (check(config, &err))
		return cmd_fail(CMD_USAGE, &err);
	config->sort = config->sort ? config->sort : config->by ? "total" : "run";
	view.sinks |= config->by ? 0 : KTRACE_SINK_HIST;
	view.table = config->by ? &config->table : &sched_by_thread;
	if (config->with_stacks) {
		view.sinks |= KTRACE_SINK_TREE | KTRACE_SINK_STACKS;
		view.stacks = &config->stacks;
	}
	if (config->slow != NOT_SLOW) {
		view.sinks |= KTRACE_SINK_STREAM;
		view.slow = config->slow;
	}
	return gather_run(&config->gather, &view, program);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config *config = mem_alloc(sizeof(*config));
	int first, code;

	config->gather.format = &format_table;
	config->slow = NOT_SLOW;
	code = cmd_parse(command, argc, argv, config, &first);
	if (code < 0)
		code = go(config, argv + first);
	stacks_free(&config->stacks);
	gather_free(&config->gather);
	free(config);
	return code;
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
