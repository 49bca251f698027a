// SPDX-License-Identifier: GPL-2.0
/* ktrace profile: in which functions CPUs spend their time, from samples. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd_gather.h"
#include "cmd/exports.h"
#include "cmd/recording.h"
#include "draw/draw.h"
#include "report/chosen.h"
#include "report/layout.h"
#include "report/orders.h"
#include "report/paths.h"
#include "report/profile.h"
#include "report/sample_event.h"
#include "report/sched_table.h"
#include "util/mem.h"

#define CHOSEN_KEYS (CHOSEN_TASK_KEYS | 1U << KTRACE_KEY_MODE)

enum { SAMPLES, OFF_CPU };	/* in the order of views */

struct config {
	struct gather gather;
	uint32_t frequency;
	const char *mode;	/* NULL: all */
	int is_off_cpu;
	struct stacks off_stacks;	/* of the session of periods */
	const char *event;	/* NULL: time */
	uint32_t period;	/* events per sample; 0: as many as frequency says */
	struct ktrace_sample_event sampled;
	uint64_t excluded, missed;	/* samples of earlier windows */
};

static const struct orders orders = {
	.own = { &profile_functions, 0, 0 },
	.by = { &chosen_kind, CHOSEN_SAMPLES, CHOSEN_SAMPLES },
};

static const struct opt opts[] = {
	HEADING("Samples"),
	{ 'F', "frequency", "HZ", OPT_FREQUENCY, offsetof(struct config, frequency),
	  "samples per second and CPU, at most 10000 (99)", NULL },
	{ 'e', "event", "EVENT", OPT_CHOICE, offsetof(struct config, event),
	  "sample events, not time: cycles, instructions, branches, branch-misses, cache-references, cache-misses, page-faults, context-switches or cpu-migrations",
	  SAMPLE_EVENTS },
	{ 'c', "period", "EVENTS", OPT_NUMBER, offsetof(struct config, period),
	  "with -e: events from one sample of a CPU to the next, in place of -F", NULL },
	{ 0, "mode", "MODE", OPT_CHOICE, offsetof(struct config, mode),
	  "only samples in programs (user), or only those in the kernel", "user|kernel" },
	GATHER_UNWIND_OPTION(struct config, gather),
	{ 0, "off-cpu", NULL, OPT_FLAG, offsetof(struct config, is_off_cpu),
	  "also the time off the CPU, by stack: all of the time of threads", NULL },
	HEADING("Figures"),
	BY_OPTION(struct config, gather.by, CHOSEN_PROFILE_KEYS),
	SORT_OPTION(struct config, gather.sort, orders),
	GATHER_OPTIONS_WITH(struct config, gather, FORMATS_OF_SAMPLES),
	MAX_SIZE_OPTION(struct config, gather.max_size),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static void print(FILE *out, struct config *config, const struct gather_moment *moment,
		  const struct profile *profile)
{
	const struct output_format *format = config->gather.format;
	struct paths paths;

	if (format->document) {
		gather_print_document(&config->gather, out, moment, profile_document(profile));
	} else if (format->rows) {
		gather_print_rows(&config->gather, out, moment, &profile->functions);
	} else if (format == &format_perf) {
		export_perf_samples(out, &profile->stacks, profile->texts, moment->to);
	} else if (format->paths) {
		profile_paths(&paths, profile);
		gather_print_paths(&config->gather, out, &paths);
	} else {
		profile_print(out, profile);
	}
}

static int show(void *arg, FILE *out, const struct gather_moment *moment)
{
	struct config *config = arg;
	const struct ktrace_counters *counters = &moment->sessions->counters;
	struct profile profile = {
		.session = moment->sessions, .texts = &config->gather.stacks,
		.excluded = counters->excluded - config->excluded,
		.missed = counters->missed_samples - config->missed,
	};
	int error;

	if (config->is_off_cpu) {
		profile.off_session = &moment->sessions[OFF_CPU];
		profile.off_texts = &config->off_stacks;
	}
	error = profile_read(&profile, moment->ktr, moment->read_flags);
	if (!error) {
		table_sort(&profile.functions, config->gather.sort);
		print(out, config, moment, &profile);
	}
	config->excluded = counters->excluded;
	config->missed = counters->missed_samples;
	profile_free(&profile);
	return error;
}

/* Most threads of a machine wait for work, which would hide all that matters. */
static int check_off_cpu(const struct config *config, bool has_program, struct err *err)
{
	const struct gather *gather = &config->gather;

	if (!config->is_off_cpu)
		return 0;
	if (recording_is_on())
		return err_set(err, "Recordings have the time off the CPU as events of sched: write + sched --stacks in place of --off-cpu.");
	if (config->mode || config->event || gather->by)
		return err_set(err, "--off-cpu shows all of the time of threads, by stack: omit --mode, -e and --by.");
	if (gather->format == &format_perf)
		return err_set(err, "--format perf has samples only: omit --off-cpu, or use another format, such as tree, flame or json.");
	if (!has_program && !gather->pids.nr && !conditions_are_given(&gather->conditions))
		return err_set(err, "--off-cpu of all processes is mostly time of threads that wait for work: choose some with -p, --comm, --thread, --uid or --cgroup, or give a PROGRAM.");
	return 0;
}

static int check(struct config *config, struct err *err)
{
	struct gather *gather = &config->gather;

	if (config->period && !config->event)
		return err_set(err, "-c needs an event to count: -e EVENT.");
	if (config->event && gather->by)
		return err_set(err, "--by shows times, which samples of events do not have: omit --by or -e.");
	if (config->event && !gather->format->document && gather->format != &format_table)
		return err_set(err, "--format %s shows times, which samples of events do not have: use --format table or json.",
			       gather->format->name);
	if (config->event && recording_is_on())
		return err_set(err, "Recordings have samples of time only: omit -e.");
	if (gather->by && (gather->format->paths || gather->format == &format_perf))
		return err_set(err, "--by has no stacks, which --format %s needs: omit --by, or use --format table, json or csv.",
			       gather->format->name);
	if (gather->by && gather->unwind)
		return err_set(err, "--by takes no stacks: omit --unwind or --by.");
	if (orders_check(&orders, gather->sort, gather->by, err))
		return -1;
	return gather_parse_by(gather, CHOSEN_KEYS, err);
}

static uint32_t flags_of(const char *mode)
{
	return !mode ? 0 : !strcmp(mode, "user") ? KTRACE_F_ONLY_USER : KTRACE_F_ONLY_KERNEL;
}

static int go(void *arg, char **program)
{
	struct config *config = arg;
	/* Its sinks need each other; the table has the names of threads. */
	const struct gather_view periods = {
		.provider = KTRACE_PROVIDER_SCHED, .table = &sched_by_thread,
		.sinks = KTRACE_SINK_TABLE | KTRACE_SINK_HIST | KTRACE_SINK_TREE |
			 KTRACE_SINK_STACKS,
		.stacks = &config->off_stacks,
	};
	struct gather_view view = {
		.provider = KTRACE_PROVIDER_PROFILE, .what = "samples", .show = show,
		.flags = flags_of(config->mode),
		.frequency = config->frequency, .arg = config,
		.event_id = EVENT_SAMPLE, .events = "samples",
	};
	struct gather *gather = &config->gather;
	struct err err;

	if (config->event) {
		sample_event_set(&config->sampled, config->event);
		config->sampled.period = config->period;
		view.event = &config->sampled;
	}
	if (check(config, &err) || check_off_cpu(config, *program, &err))
		return cmd_fail(CMD_USAGE, &err);
	if (!gather->sort)
		gather->sort = gather->by ? "total" : "self";
	/* All samples of a row have the same time. */
	gather->table.flags = 0;
	gather->with_stacks = !gather->by;
	gather->stacks.has_places = gather->format == &format_perf;
	/* Records have their stacks, and figures are made of them later. */
	if (!gather->by && !recording_is_on())
		view.sinks = KTRACE_SINK_TREE | KTRACE_SINK_STACKS;
	if (config->is_off_cpu)
		view.next = &periods;
	return gather_run(gather, &view, program);
}

static void clean(void *arg)
{
	struct config *config = arg;

	stacks_free(&config->off_stacks);
}

static int run(const struct command *command, int argc, char **argv)
{
	static const struct gather_command of = { sizeof(struct config), go, clean };

	return gather_command(command, argc, argv, &of);
}

const struct command cmd_profile = {
	.name = "profile",
	.usage = "profile [options] [-p PID | -- PROGRAM [ARGS]]",
	.summary = "Show in which functions CPUs spend their time.",
	.opts = opts,
	.examples = "  ktrace profile -d 1\n"
		    "  ktrace profile -F 999 --format flame -o /tmp/profile.svg -- /bin/ls -R /usr/share\n"
		    "  ktrace profile --off-cpu --sort total -- /bin/ls -R /usr/share\n"
		    "  ktrace profile -d 1 --by comm,mode\n",
	.program = PROGRAM_MAYBE,
	.run = run,
};
