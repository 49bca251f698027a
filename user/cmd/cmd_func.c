// SPDX-License-Identifier: GPL-2.0
/* ktrace func: how often kernel functions are called, how long they take, and for which tasks. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_gather.h"
#include "cmd/cmd_kernel.h"
#include "report/chosen.h"
#include "report/functions.h"
#include "report/kfunc_figures.h"
#include "report/orders.h"
#include "report/stack_table.h"
#include "util/mem.h"
#include "util/out.h"

struct config {
	struct gather gather;
	struct kernel_choice choice;
	int is_count;
	int with_errors;
};

static const struct orders orders = {
	.own = { &functions_kind, FUNCTIONS_KERNEL, FUNCTIONS_KERNEL | FUNCTIONS_COUNT },
	.by = { &chosen_kind, .possible = CHOSEN_ERRORS },
};

static const struct opt opts[] = {
	HEADING("Figures"),
	BY_OPTION(struct config, gather.by, CHOSEN_FUNCTION_KEYS),
	{ 0, "errors", NULL, OPT_FLAG, offsetof(struct config, with_errors),
	  "chains of functions that failed, the deepest first", NULL },
	{ 0, "hist", NULL, OPT_FLAG, offsetof(struct config, gather.has_hist),
	  "one histogram per function or, with --by, per row", NULL },
	GATHER_STACKS_OPTION(struct config, gather,
			     "calls and time by the stack of the caller; with --slow: the stack of each call"),
	{ 0, "count", NULL, OPT_FLAG, offsetof(struct config, is_count),
	  "only count calls: cheap, and any number of functions at once", NULL },
	GATHER_MIN_TIME_OPTION(struct config, gather),
	SORT_OPTION(struct config, gather.sort, orders),
	HEADING("Functions"),
	{ 'f', "function", "GLOB[,GLOB...]", OPT_GLOBS, offsetof(struct config, choice.globs),
	  "these functions, as GLOB... does", NULL },
	KERNEL_OPTIONS(struct config, choice),
	HEADING("Single calls"),
	GATHER_SLOW_OPTION(struct config, gather,
			   "also each call of at least TIME (10us, 0 for all), with its thread and result"),
	GATHER_RECORD_OPTIONS(struct config, gather),
	GATHER_OPTIONS_WITH(struct config, gather, FORMATS_OF_STACKS),
	MAX_SIZE_OPTION(struct config, gather.max_size),
	GATHER_ATTACH_OPTION(struct config, gather),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* --- figures -------------------------------------------------------------- */

static void print(FILE *out, struct config *config, const struct gather_moment *moment,
		  const struct kfunc_figures *figures)
{
	const struct output_format *format = config->gather.format;
	struct paths paths;

	if (format->document) {
		gather_print_document(&config->gather, out, moment, kfunc_document(figures));
	} else if (format->rows) {
		gather_print_rows(&config->gather, out, moment, &figures->functions);
	} else if (format->paths) {
		stack_table_paths(&paths, &figures->stacks);
		gather_print_paths(&config->gather, out, &paths);
	} else if (config->gather.has_hist && table_is_shown(&figures->functions)) {
		functions_print_hists(out, &figures->functions);
	} else {
		kfunc_figures_print(out, figures);
	}
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct kfunc_figures figures = {
		.session = moment->sessions, .names = &config->choice.plan.names,
		.texts = &config->gather.stacks,
	};
	int error;

	error = kfunc_figures_read(&figures, moment->ktr, moment->read_flags);
	figures.functions.has_hists = config->gather.has_hist;
	functions_set_window(&figures.functions, moment->from, moment->to);
	if (!error) {
		kfunc_figures_sort(&figures, config->gather.sort);
		print(out, config, moment, &figures);
	}
	kfunc_figures_free(&figures);
	return error;
}

/* --- options ---------------------------------------------------------------- */

#define CHOSEN_KEYS (CHOSEN_TASK_KEYS | 1U << KTRACE_KEY_FUNCTION)

static uint32_t sinks_of(const struct config *config)
{
	if (config->is_count)
		return KTRACE_SINK_COUNT;
	if (gather_has_stack_rows(&config->gather) || config->with_errors)
		return KTRACE_SINK_HIST | KTRACE_SINK_TREE;
	return KTRACE_SINK_HIST;
}

static int check(struct config *config, struct err *err)
{
	const struct gather *gather = &config->gather;
	bool is_slow = gather->slow != NOT_SLOW;

	if (is_slow && (config->is_count || config->with_errors))
		return err_set(err, "--slow cannot be combined with --count or --errors.");
	if (gather_has_stack_rows(gather) && (config->is_count || gather->has_hist || gather->by ||
					      gather->sort || config->with_errors))
		return err_set(err, "--stacks cannot be combined with --count, --hist, --by, --errors or --sort.");
	if (!gather->with_stacks && gather->format->paths)
		return err_set(err, "--format %s needs --stacks: add --stacks.",
			       gather->format->name);
	if ((gather->with_stacks || config->with_errors) && !is_slow && gather->format->rows)
		return err_set(err, "--format %s has no stacks or chains; use --format table or json with --stacks or --errors.",
			       gather->format->name);
	if (config->is_count && (gather->min_time || gather->has_hist || gather->by))
		return err_set(err, "--count cannot be combined with --min-time, --hist or --by.");
	if (config->with_errors && (config->is_count || gather->min_time || gather->has_hist ||
				    gather->by))
		return err_set(err, "--errors counts chains of all calls: it cannot be combined with --min-time, --hist, --by or --count.");
	if (config->with_errors && gather->kept)
		return err_set(err, "--attach keeps no chains of errors: omit --errors; the figures of each function count its errors.");
	if (config->with_errors && gather->sort && strcmp(gather->sort, "calls") &&
	    strcmp(gather->sort, "total"))
		return err_set(err, "--errors can be sorted by calls or total, not by %s.",
			       gather->sort);
	if (orders_check(&orders, gather->sort, gather->by, err))
		return -1;
	return gather_parse_by(&config->gather, CHOSEN_KEYS, err);
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
	if (!config->gather.sort)
		config->gather.sort = config->is_count || config->with_errors ? "calls" : "total";
	if (kernel_choose(&config->choice, 0, &err) ||
	    (config->with_errors && drop_infallible(&config->choice.plan, &err)))
		return cmd_fail(CMD_FAILED, &err);
	code = kernel_begin(&config->choice, config->is_count);
	if (code >= 0)
		return code;
	if (config->gather.slow != NOT_SLOW)
		kplan_mark_results(&config->choice.plan);
	view.provider = KTRACE_PROVIDER_KERNEL;
	view.sinks = sinks_of(config);
	view.flags = config->with_errors ? KTRACE_F_ERRORS : 0;
	view.kplan = &config->choice.plan;
	return gather_run(&config->gather, &view, program);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config *config = mem_alloc(sizeof(*config));
	char **program;
	int code;

	gather_init(&config->gather, argv);
	code = kernel_parse(command, argc, argv, config, &config->choice, &program);
	if (code < 0)
		code = go(config, program);
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
