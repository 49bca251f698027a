// SPDX-License-Identifier: GPL-2.0
/* ktrace stat: counts of a program, of processes or of the machine, in a few rows. */
#include <stdlib.h>

#include "cmd/cmd_gather.h"
#include "cmd/stat_counters.h"
#include "report/head.h"
#include "report/stat.h"
#include "report/stat_show.h"
#include "session/session.h"
#include "system/cpus.h"
#include "system/threads.h"
#include "util/mem.h"
#include "util/out.h"

enum { SCHED, SYSCALLS, NR_SESSIONS };	/* in the order of views */

struct config {
	struct gather gather;
	struct stat_counters counters;
	struct stat_table window, total;
	bool is_of_cpus;
	bool is_on_exec;
	uint64_t began;		/* ns, CLOCK_MONOTONIC: the first window */
};

static const struct opt opts[] = {
	HEADING("Which tasks"),
	{ 'p', "pid", "PID[,PID...]", OPT_PIDS, offsetof(struct config, gather.pids),
	  "only these processes with all threads, and children that they start", NULL },
	{ 'u', "user", "USER[:GROUP]", OPT_STRING, offsetof(struct config, gather.user),
	  "run PROGRAM as this user: uid, gid and groups, names or numbers", NULL },
	NO_WAIT_OPTION(struct config, gather.has_no_wait),
	HEADING("How long"),
	{ 'd', "duration", "TIME", OPT_PERIOD, offsetof(struct config, gather.duration),
	  "end after TIME (10: seconds, 500ms, 1m, 1h)", NULL },
	{ 'i', "interval", "TIME", OPT_INTERVAL, offsetof(struct config, gather.interval),
	  "every TIME, show what was counted since the last interval; the total at the end", NULL },
	HEADING("Output"),
	FORMAT_OPTION(struct config, gather.format, FORMATS_OF_FIGURES),
	STYLE_OPTIONS,
	OUTPUT_OPTIONS(struct config, gather.output),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* --- counters ----------------------------------------------------------------- */

static int open_of_cpus(struct config *config, struct err *err)
{
	struct counter_target target = { .is_cpus = true };
	int32_t *cpus;
	int error;

	target.nr = cpus_list(&cpus, CPUS_ONLINE);
	target.ids = cpus;
	error = stat_counters_open(&config->counters, &target, PMUS_FOLDER, err);
	free(cpus);
	return error;
}

/* Whether a thread that began meanwhile is counted depends on which thread started it, and when. */
static void tell_new_threads(const struct counter_target *target, const int32_t *pids, size_t nr)
{
	int32_t *tids;
	size_t nr_tids = threads_list(&tids, pids, nr), nr_new;

	nr_new = threads_new(tids, nr_tids, target->ids, target->nr);
	free(tids);
	if (nr_new)
		out_put(stderr, "ktrace: %zu thread%s began while the counters of perf_event_open were opened; migrations, page faults and hardware events may omit %s.\n",
			nr_new, nr_new == 1 ? "" : "s", nr_new == 1 ? "it" : "them");
}

static int open_of_threads(struct config *config, const int32_t *pids, size_t nr,
			   struct err *err)
{
	struct counter_target target = { .is_on_exec = config->is_on_exec };
	int32_t *tids;
	int error;

	target.nr = threads_list(&tids, pids, nr);
	target.ids = tids;
	error = stat_counters_open(&config->counters, &target, PMUS_FOLDER, err);
	if (!error)
		tell_new_threads(&target, pids, nr);
	free(tids);
	return error;
}

static int open_counters(void *arg, const int32_t *pids, size_t nr, bool is_on_exec,
			 struct err *err)
{
	struct config *config = arg;
	const struct stat_counters *counters = &config->counters;
	int error;

	config->is_on_exec = is_on_exec;
	config->is_of_cpus = !nr;
	error = nr ? open_of_threads(config, pids, nr, err) : open_of_cpus(config, err);
	if (error)
		return error;
	stat_init(&config->window, counters->names, counters->nr_pmus);
	stat_init(&config->total, counters->names, counters->nr_pmus);
	return 0;
}

static void begin_counters(void *arg)
{
	const struct config *config = arg;

	if (!config->is_on_exec)
		counters_start();
}

static void mark_counters(void *arg)
{
	struct config *config = arg;

	stat_counters_mark(&config->counters);
}

static void end_counters(void *arg)
{
	counters_stop();
	mark_counters(arg);
}

/* --- output --------------------------------------------------------------------- */

static void print(const struct config *config, FILE *out, const struct gather_moment *moment,
		  const struct stat_table *table)
{
	const struct output_format *format = config->gather.format;

	if (format->document)
		gather_print_document(&config->gather, out, moment, stat_document(table));
	else if (format->rows)
		stat_print_csv(out, table, moment->is_first && table == &config->window);
	else
		stat_print(out, table);
}

/* Behind the last interval. */
static void print_total(struct config *config, FILE *out, const struct gather_moment *moment)
{
	struct stat_table *total = &config->total;

	head_set_window(config->began, moment->to);
	total->is_total = true;
	stat_finish(total);
	if (!config->gather.format->is_data) {
		out_put(out, "\n");
		head_set_repeated(false);
		head_print(out);
	}
	print(config, out, moment, total);
}

static void reset(struct config *config)
{
	struct stat_table *window = &config->window;
	size_t i;

	for (i = 0; i < window->nr; i++)
		window->rows[i].value = (struct counter_value){ .count = 0 };
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	struct stat_table *window = &config->window, *total = &config->total;
	int error;

	reset(config);
	window->is_of_cpus = total->is_of_cpus = config->is_of_cpus;
	window->has_window = total->has_window = moment->is_one_of_many;
	window->is_total = !moment->is_one_of_many;
	window->duration_ns = moment->to - moment->from;
	window->lost = session_lost(&moment->sessions[SCHED].counters) +
		       session_lost(&moment->sessions[SYSCALLS].counters);
	total->lost = window->lost;
	if (moment->is_first)
		config->began = moment->from;
	error = stat_read(window, moment->ktr, moment->sessions[SCHED].id,
			  moment->sessions[SYSCALLS].id, moment->read_flags);
	if (error)
		return error;
	stat_counters_fill(&config->counters, window);
	stat_finish(window);
	stat_add(total, window);
	print(config, out, moment, window);
	if (moment->is_last && moment->is_one_of_many)
		print_total(config, out, moment);
	return 0;
}

/* --- options ---------------------------------------------------------------------- */

static int go(void *arg, char **program)
{
	struct config *config = arg;
	const struct gather_beside beside = {
		.open = open_counters, .begin = begin_counters, .mark = mark_counters,
		.end = end_counters, .arg = config,
	};
	const struct gather_view syscalls = {
		.provider = KTRACE_PROVIDER_SYSCALLS, .sinks = KTRACE_SINK_HIST,
	};
	const struct gather_view sched = {
		.provider = KTRACE_PROVIDER_SCHED, .sinks = KTRACE_SINK_HIST,
		.what = "events", .show = show, .next = &syscalls, .beside = &beside,
		.arg = config,
	};

	return gather_run(&config->gather, &sched, program);
}

static void clean(void *arg)
{
	struct config *config = arg;

	stat_free(&config->window);
	stat_free(&config->total);
	stat_counters_close(&config->counters);
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct gather_command of = { sizeof(struct config), go, clean };

	return gather_command(command, argc, argv, &of);
}

const struct command cmd_stat = {
	.name = "stat",
	.usage = "stat [options] [-p PID | -- PROGRAM [ARGS]]",
	.summary = "Count switches, faults, system calls and hardware events.",
	.opts = opts,
	.examples = "  ktrace stat -- /bin/ls -R /usr/share\n"
		    "  ktrace stat -p $$ -d 1\n"
		    "  ktrace stat -i 1 -d 3 --format csv\n",
	.program = PROGRAM_MAYBE,
	.run = run,
};
