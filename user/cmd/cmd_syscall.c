// SPDX-License-Identifier: GPL-2.0
/* ktrace syscall: which system calls, how often, how long, with which error. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_gather.h"
#include "report/chosen.h"
#include "report/orders.h"
#include "report/syscall_names.h"
#include "report/syscalls.h"
#include "util/match.h"
#include "util/mem.h"

struct config {
	struct gather gather;
	int with_errors;
	int is_wide;
	struct match hists;
	int is_cpu_time;
	int with_pages;
};

static const struct orders orders = {
	.own = { &syscalls_kind, .possible = ~0U },
	.by = { &chosen_kind, .possible = CHOSEN_CPU_TIME | CHOSEN_PAGES | CHOSEN_ERRORS | CHOSEN_BYTES },
};

static const struct opt opts[] = {
	HEADING("Figures"),
	BY_OPTION(struct config, gather.by, CHOSEN_SYSCALL_KEYS),
	{ 0, "errors", NULL, OPT_FLAG, offsetof(struct config, with_errors),
	  "also a table of the errors that calls returned", NULL },
	{ 0, "wide", NULL, OPT_FLAG, offsetof(struct config, is_wide),
	  "also max, bytes and gap, the time between successive calls on one file", NULL },
	{ 0, "hist", "NAME[,NAME...]", OPT_GLOBS, offsetof(struct config, hists),
	  "histograms of these calls (read, 'recv*')", NULL },
	{ 0, "cpu-time", NULL, OPT_FLAG, offsetof(struct config, is_cpu_time),
	  "time on the CPU in place of elapsed time (percentiles stay elapsed time)", NULL },
	{ 0, "pages", NULL, OPT_FLAG, offsetof(struct config, with_pages),
	  "also pages of the page cache: hits, misses, read ahead, dirtied", NULL },
	GATHER_MIN_TIME_OPTION(struct config, gather),
	SORT_OPTION(struct config, gather.sort, orders),
	HEADING("Single calls"),
	GATHER_SLOW_OPTION(struct config, gather,
			   "also each call of at least TIME (10ms, 0 for all), with its arguments, file and result"),
	GATHER_STACKS_OPTION(struct config, gather,
			     "with --slow: the program's stack of each call"),
	GATHER_RECORD_OPTIONS(struct config, gather),
	GATHER_OPTIONS(struct config, gather),
	GATHER_ATTACH_OPTION(struct config, gather),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* --- figures -------------------------------------------------------------- */

static void print_table(FILE *out, const struct config *config, struct syscalls *syscalls)
{
	if (config->is_cpu_time)
		syscalls_use_cpu_time(syscalls);
	syscalls_sort(syscalls, config->gather.sort);
	syscalls_print(out, syscalls);
	if (config->hists.nr)
		syscalls_print_hists(out, syscalls, &config->hists);
}

static void print_document(FILE *out, const struct config *config,
			   const struct gather_moment *moment, struct syscalls *syscalls)
{
	syscalls_sort(syscalls, config->gather.sort);
	gather_print_document(&config->gather, out, moment,
			      syscalls_document(moment->sessions, syscalls));
}

static void print_rows(FILE *out, const struct config *config, const struct gather_moment *moment,
		       struct syscalls *syscalls)
{
	syscalls_sort(syscalls, config->gather.sort);
	gather_print_rows(&config->gather, out, moment, &syscalls->calls);
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct syscalls syscalls;
	int error;

	error = syscalls_read(&syscalls, moment->ktr, moment->sessions, moment->read_flags);
	syscalls.calls.flags |= (config->is_wide ? SYSCALLS_WIDE : 0) |
				(config->with_errors ? SYSCALLS_ERRORS : 0);
	syscalls.calls.duration_ns = moment->to - moment->from;
	syscalls.calls.has_hists = config->hists.nr;
	if (!error && config->gather.format->document)
		print_document(out, config, moment, &syscalls);
	else if (!error && config->gather.format->rows)
		print_rows(out, config, moment, &syscalls);
	else if (!error)
		print_table(out, config, &syscalls);
	syscalls_free(&syscalls);
	return error;
}

/* --- options ---------------------------------------------------------------- */

static int check_names(const struct match *hists, struct err *err)
{
	const char *names[2 * KTRACE_SYSCALL_COMPAT], *nearest;
	uint32_t func, i;
	size_t nr = 0;

	for (func = 0; func < KTRACE_SYSCALL_OTHER; func++)
		if (syscall_name(func))
			names[nr++] = syscall_name(func);
	for (i = 0; i < nr && hists->nr; i++)
		match_name(hists, names[i]);
	if (!match_unused(hists))
		return 0;
	nearest = match_nearest_word(match_unused(hists), names, nr);
	if (nearest)
		return err_set(err, "There is no system call '%s'; did you mean '%s'?",
			       match_unused(hists), nearest);
	return err_set(err, "There is no system call '%s'; see their names with: man 2 syscalls.",
		       match_unused(hists));
}

#define CHOSEN_KEYS (CHOSEN_TASK_KEYS | 1U << KTRACE_KEY_SYSCALL | 1U << KTRACE_KEY_ERRNO)

/* With --errors, in addition to the histograms of calls. */
static const struct ktrace_table by_error = {
	.keys = { KTRACE_KEY_SYSCALL, KTRACE_KEY_ERRNO }, .max_rows = 65536,
};

static int check(struct config *config, struct err *err)
{
	const struct gather *gather = &config->gather;

	if (gather_has_stack_rows(gather))
		return err_set(err, "--stacks shows where slow calls were made: add --slow TIME (0 for all calls).");
	if (syscalls_need_pages(gather->sort) && !config->with_pages)
		return err_set(err, "--sort %s needs --pages.", gather->sort);
	if (config->with_errors && gather->format->rows)
		return err_set(err, "--format %s has one table: give --by syscall,errno in place of --errors.",
			       gather->format->name);
	if (gather->by && (config->with_errors || config->is_wide ||
			   (config->hists.nr && !gather->format->document)))
		return err_set(err, "--by cannot be combined with --errors, --wide or, in a table, --hist; for errors use --by syscall,errno.");
	if (gather_parse_by(&config->gather, CHOSEN_KEYS, err))
		return -1;
	if (orders_check(&orders, gather->sort, gather->by, err))
		return -1;
	return check_names(&config->hists, err);
}

static int go(void *arg, char **program)
{
	struct config *config = arg;
	struct gather_view view = { .what = "system calls", .show = show,
				    .provider = KTRACE_PROVIDER_SYSCALLS,
				    .sinks = KTRACE_SINK_HIST, .event_id = EVENT_SYSCALL,
				    .events = "calls", .arg = config };
	struct gather *gather = &config->gather;
	struct err err;

	gather->sort = gather->sort ? gather->sort : "total";
	if (check(config, &err))
		return cmd_fail(CMD_USAGE, &err);
	view.flags = (config->is_cpu_time ? KTRACE_F_CPU_TIME : 0) |
		     (config->with_pages ? KTRACE_F_PAGES : 0);
	if (config->with_errors) {
		view.sinks |= KTRACE_SINK_TABLE;
		view.table = &by_error;
	}
	gather->has_hist = config->hists.nr;
	return gather_run(gather, &view, program);
}

static void clean(void *arg)
{
	struct config *config = arg;

	match_free(&config->hists);
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct gather_command of = { sizeof(struct config), go, clean };

	return gather_command(command, argc, argv, &of);
}

const struct command cmd_syscall = {
	.name = "syscall",
	.usage = "syscall [options] [-p PID | -- PROGRAM [ARGS]]",
	.summary = "Count system calls: how often, how long, with which errors.",
	.opts = opts,
	.examples = "  ktrace syscall --pages -- /bin/ls\n"
		    "  ktrace syscall -d 1 --by pid,syscall --sort p99\n"
		    "  ktrace syscall -p $$ -d 1 --errors --slow 10ms\n",
	.program = PROGRAM_MAYBE,
	.run = run,
};
