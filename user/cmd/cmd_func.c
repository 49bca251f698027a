// SPDX-License-Identifier: GPL-2.0
/* ktrace func: how often kernel functions are called, how long they take, and for which tasks. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_by.h"
#include "cmd/cmd_gather.h"
#include "cmd/cmd_kernel.h"
#include "report/chosen.h"
#include "report/functions.h"
#include "report/kfunc_figures.h"
#include "report/stack_table.h"
#include "util/mem.h"
#include "util/out.h"

struct config {
	struct gather gather;
	struct kernel_choice choice;
	const char *by;
	struct ktrace_table table;	/* the table that the module keeps */
	const char *sort;
	uint64_t slow;		/* ns; NOT_SLOW: single calls are not shown */
	int is_count;
	int with_hist;
	int with_errors;
	int with_stacks;
	struct stacks stacks;
};

static const struct opt opts[] = {
	HEADING("Figures"),
	{ 0, "by", "KEY[,KEY...]", OPT_STRING, offsetof(struct config, by),
	  "one row per " CHOSEN_FUNCTION_KEYS ", or per combination of these", NULL },
	{ 0, "errors", NULL, OPT_FLAG, offsetof(struct config, with_errors),
	  "chains of functions that failed, the deepest first", NULL },
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct config, with_hist),
	  "one histogram per function or, with --by, per row", NULL },
	{ 0, "stacks", NULL, OPT_FLAG, offsetof(struct config, with_stacks),
	  "calls and time by the stack of the caller; with --slow: the stack of each call", NULL },
	{ 0, "count", NULL, OPT_FLAG, offsetof(struct config, is_count),
	  "only count calls: cheap, and any number of functions at once", NULL },
	GATHER_MIN_TIME_OPTION(struct config, gather),
	{ 0, "sort", "COLUMN", OPT_CHOICE, offsetof(struct config, sort),
	  "total, calls, avg, max, p99 or name", "total|calls|avg|max|p99|name" },
	HEADING("Functions"),
	KERNEL_OPTIONS(struct config, choice),
	HEADING("Single calls"),
	{ 0, "slow", "TIME", OPT_TIME, offsetof(struct config, slow),
	  "also each call of at least TIME (10us, 0 for all), with its thread and result", NULL },
	GATHER_BUFFER_OPTION(struct config, gather),
	MOMENT_OPTION,
	GATHER_OPTIONS_WITH(struct config, gather, FORMATS_OF_STACKS),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* --- figures -------------------------------------------------------------- */

static void print(FILE *out, const struct config *config, const struct gather_moment *moment,
		  const struct kfunc_figures *figures)
{
	const struct output_format *format = config->gather.format;

	if (format->document)
		gather_print_document(&config->gather, out, moment, kfunc_document(figures));
	else if (format->rows)
		gather_print_rows(&config->gather, out, moment, &figures->functions);
	else if (format->stacks)
		format->stacks(out, &figures->stacks);
	else if (config->with_hist && table_is_shown(&figures->functions))
		functions_print_hists(out, &figures->functions);
	else
		kfunc_figures_print(out, figures);
}

static int show_chosen(const struct config *config, FILE *out, const struct gather_moment *moment)
{
	const struct cmd_by by = {
		.table = &config->table, .sort = config->sort, .with_hist = config->with_hist,
		.names = &config->choice.plan.names,
	};

	return cmd_by_show(&by, &config->gather, out, moment);
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct kfunc_figures figures = {
		.session = moment->sessions, .names = &config->choice.plan.names,
		.texts = &config->stacks,
	};
	int error;

	if (config->by)
		return show_chosen(config, out, moment);
	error = kfunc_figures_read(&figures, moment->nl, moment->read_flags);
	figures.functions.has_hists = config->with_hist;
	functions_set_window(&figures.functions, moment->from, moment->to);
	if (!error) {
		kfunc_figures_sort(&figures, config->sort);
		print(out, config, moment, &figures);
	}
	kfunc_figures_free(&figures);
	return error;
}

/* --- options ---------------------------------------------------------------- */

#define CHOSEN_KEYS (CHOSEN_TASK_KEYS | 1U << KTRACE_KEY_FUNCTION)

static uint32_t sinks_of(const struct config *config)
{
	uint32_t sinks = config->by ? KTRACE_SINK_TABLE : KTRACE_SINK_HIST;

	if (config->is_count)
		return KTRACE_SINK_COUNT;
	if (config->slow != NOT_SLOW)
		return sinks | KTRACE_SINK_STREAM | (config->with_stacks ? KTRACE_SINK_STACKS : 0);
	if (config->with_stacks)
		return sinks | KTRACE_SINK_TREE | KTRACE_SINK_STACKS;
	return sinks | (config->with_errors ? KTRACE_SINK_TREE : 0);
}

static int check(struct config *config, struct err *err)
{
	bool is_slow = config->slow != NOT_SLOW;

	if (is_slow && (config->is_count || config->with_errors))
		return err_set(err, "--slow cannot be combined with --count or --errors.");
	if (config->with_stacks && !is_slow && (config->is_count || config->with_hist || config->by ||
						config->sort || config->with_errors))
		return err_set(err, "--stacks cannot be combined with --count, --hist, --by, --errors or --sort.");
	if (!config->with_stacks && config->gather.format->stacks)
		return err_set(err, "--format %s needs --stacks: add --stacks.",
			       config->gather.format->name);
	if ((config->with_stacks || config->with_errors) && !is_slow && config->gather.format->rows)
		return err_set(err, "--format %s has no stacks or chains; use --format table or json with --stacks or --errors.",
			       config->gather.format->name);
	if (config->is_count && (config->gather.min_time || config->with_hist || config->by))
		return err_set(err, "--count cannot be combined with --min-time, --hist or --by.");
	if (config->with_errors && (config->is_count || config->gather.min_time || config->with_hist ||
				    config->by))
		return err_set(err, "--errors counts chains of all calls: it cannot be combined with --min-time, --hist, --by or --count.");
	if (config->with_errors && config->sort && strcmp(config->sort, "calls") &&
	    strcmp(config->sort, "total"))
		return err_set(err, "--errors can be sorted by calls or total, not by %s.",
			       config->sort);
	return config->by ? chosen_parse(&config->table, config->by, CHOSEN_KEYS, err) : 0;
}

/* A function without a result leaves a value that could look like an error. */
static int drop_infallible(struct kplan *plan, struct err *err)
{
	size_t nr = kplan_keep_fallible(plan);

	if (!plan->nr)
		return err_set(err, "These functions return no errors: their results are void, bool or the like.");
	if (nr)
		out_put(stderr, "ktrace: %zu functions are left out: they return no errors.\n",
			nr);
	return 0;
}

static int go(struct config *config, char **program)
{
	struct gather_view view = { .what = "calls", .show = show,
				    .event_id = EVENT_CALL, .events = "calls", .arg = config };
	struct err err;
	int code;

	if (check(config, &err))
		return cmd_fail(CMD_USAGE, &err);
	if (!config->sort)
		config->sort = config->is_count || config->with_errors ? "calls" : "total";
	if (kernel_choose(&config->choice, 0, &err) ||
	    (config->with_errors && drop_infallible(&config->choice.plan, &err)))
		return cmd_fail(CMD_FAILED, &err);
	code = kernel_begin(&config->choice, config->is_count);
	if (code >= 0)
		return code;
	if (config->slow != NOT_SLOW)
		kplan_mark_results(&config->choice.plan);
	view.provider = KTRACE_PROVIDER_KERNEL;
	view.sinks = sinks_of(config);
	view.flags = config->with_errors ? KTRACE_F_ERRORS : 0;
	view.slow = config->slow;
	view.kplan = &config->choice.plan;
	view.table = config->by ? &config->table : NULL;
	view.stacks = config->with_stacks ? &config->stacks : NULL;
	return gather_run(&config->gather, &view, program);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config *config = mem_alloc(sizeof(*config));
	char **program;
	int code;

	config->gather.format = &format_table;
	config->slow = NOT_SLOW;
	code = kernel_parse(command, argc, argv, config, &config->choice, &program);
	if (code < 0)
		code = go(config, program);
	stacks_free(&config->stacks);
	kernel_free(&config->choice);
	gather_free(&config->gather);
	free(config);
	return code;
}

const struct command cmd_func = {
	.name = "func",
	.usage = "func [options] GLOB... [-- PROGRAM [ARGS]]",
	.summary = "Time kernel functions: how often, how long, errors, tasks.",
	.opts = opts,
	.examples = "  ktrace func vfs_read vfs_write -d 1\n"
		    "  ktrace func 'vfs_*' --by pid,function -d 1\n"
		    "  ktrace func vfs_fsync_range --slow 10ms --stacks -d 1\n"
		    "  ktrace func 'ksys_*' --hist -- /bin/ls\n",
	.program = PROGRAM_AFTER_DASHES,
	.run = run,
};
