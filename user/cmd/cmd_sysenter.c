// SPDX-License-Identifier: GPL-2.0
/* ktrace sysenter: measures what entering and leaving the kernel costs. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "report/head.h"
#include "report/sysenter_table.h"
#include "session/module.h"
#include "session/session.h"
#include "session/wait.h"
#include "system/cpus.h"
#include "system/null_call.h"
#include "system/procs.h"
#include "util/clock.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

#define MAX_CALLS 10000000
#define LOOK_MS 20	/* interval between looks: up to this much of the end of a process is not
			 * seen */

struct config {
	const char *cpu;
	uint32_t calls;
	struct opt_pids pids;
	uint64_t duration;
	const struct output_format *format;
	struct output output;
};

static const struct opt opts[] = {
	{ 0, "cpu", "N", OPT_STRING, offsetof(struct config, cpu),
	  "measure on this CPU (default: the last that ktrace may run on)", NULL },
	{ 0, "calls", "N", OPT_NUMBER, offsetof(struct config, calls),
	  "measure this many calls, at most 10000000 (default 100000)", NULL },
	{ 'p', "pid", "PID", OPT_PIDS, offsetof(struct config, pids),
	  "then report how much of this process's CPU time is entry and exit", NULL },
	{ 'd', "duration", "TIME", OPT_PERIOD, offsetof(struct config, duration),
	  "with -p: observe it for this time (default 1s)", NULL },
	FORMAT_OPTION(struct config, format, FORMATS_OF_STATES),
	OUTPUT_OPTIONS(struct config, output),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct run {
	const struct config *config;
	struct null_plan plan;
	struct ktr *ktr;
	FILE *out;
	uint64_t cycles, ns;	/* length of all rounds, by both clocks */
	struct sysenter_report report;
	struct ktrace_counters counters;	/* losses of the sessions that measured parts */
	uint64_t from;		/* time of the start, CLOCK_MONOTONIC */
};

/* --- figures ---------------------------------------------------------------- */

/* Returns the nearest rank of sorted values. */
static double rank(const uint64_t *samples, size_t nr, unsigned int permille)
{
	size_t at = (nr * permille + 999) / 1000;

	return samples[at ? at - 1 : 0];
}

static void take_samples(const struct null_calls *calls, struct sysenter_figure *figure)
{
	size_t nr, i;
	const uint64_t *samples = null_calls_samples(calls, &nr);
	double sum = 0;

	if (!nr)
		return;
	for (i = 0; i < nr; i++)
		sum += samples[i];
	figure->nr = nr;
	figure->min = samples[0];
	figure->median = rank(samples, nr, 500);
	figure->p99 = rank(samples, nr, 990);
	figure->mean = sum / nr;
}

static void scale(struct sysenter_figure *figure, double factor)
{
	figure->min *= factor;
	figure->median *= factor;
	figure->p99 *= factor;
	figure->mean *= factor;
}

/* Converts cycles to ns. */
static void scale_all(struct sysenter_report *report, double ns_per_cycle)
{
	int i;

	scale(&report->untraced, ns_per_cycle);
	scale(&report->traced, ns_per_cycle);
	scale(&report->counted, ns_per_cycle);
	for (i = 0; i < KTRACE_NR_SYSENTER; i++)
		scale(&report->parts[i], ns_per_cycle);
	report->clock_ns *= ns_per_cycle;
	report->ghz = 1 / ns_per_cycle;
}

/* --- a round of calls --------------------------------------------------------- */

static int fail_to_read(const struct run *run, int error, struct err *err)
{
	return err_set(err, "The figures cannot be read from the module: %s.", ktr_reason(run->ktr, error));
}

static int attach(struct run *run, uint32_t provider, int32_t pid, struct ktr_session *session,
		  struct err *err)
{
	struct session_options options = {
		.provider = provider,
		.sinks = KTRACE_SINK_HIST,
		.pids = &pid,
		.nr_pids = 1,
	};

	return session_attach(run->ktr, NULL, &options, &signals_nr_ends, session, err);
}

/* Ends the session, and reads the parts of calls if the provider measures them. */
static int detach(struct run *run, struct ktr_session *session, struct err *err)
{
	int error = session_stop(run->ktr, session);

	if (!error && session->provider == KTRACE_PROVIDER_SYSENTER) {
		error = sysenter_read(&run->report, run->ktr, session->id);
		run->counters.lost_pool += session->counters.lost_pool;
	}
	if (!error)
		error = session_delete(run->ktr, session->id);
	return error ? fail_to_read(run, error, err) : 0;
}

static void call(struct null_calls *calls)
{
	null_calls_go(calls);
	while (!null_calls_are_over(calls)) {
		if (signals_nr_ends)
			null_calls_stop(calls);
		signals_wait(-1, 100);
	}
}

static int call_in_session(struct run *run, struct null_calls *calls, uint32_t provider,
			   struct err *err)
{
	struct ktr_session session;

	if (attach(run, provider, calls->pid, &session, err))
		return -1;
	call(calls);
	return detach(run, &session, err);
}

static void take_round(struct run *run, const struct null_calls *calls,
		       struct sysenter_figure *whole)
{
	struct null_clock clock = null_calls_clock(calls);

	take_samples(calls, whole);
	run->report.clock_ns = clock.cost;
	run->cycles += clock.cycles;
	run->ns += clock.ns;
}

/*
 * Makes calls while a session of the provider counts them, or without a session if provider is 0.
 */
static int measure(struct run *run, uint32_t provider, struct sysenter_figure *whole,
		   struct err *err)
{
	struct null_calls calls;
	int result = 0;

	if (signals_nr_ends)
		return 0;
	if (null_calls_fork(&calls, &run->plan, err))
		return -1;
	if (provider)
		result = call_in_session(run, &calls, provider, err);
	else
		call(&calls);
	if (!result)
		result = null_calls_check(&calls, &run->plan, err);
	if (!result)
		take_round(run, &calls, whole);
	null_calls_free(&calls);
	/* An interruption by the user is not an error. */
	return signals_nr_ends ? 0 : result;
}

/* --- a process ------------------------------------------------------------------ */

/* Reads calls and CPU time together, as long as the process lives. */
static int look(struct run *run, const struct ktr_session *session, struct sysenter_share *share,
		struct err *err)
{
	uint64_t cpu_ns = procs_cpu_time(&share->pid, 1);
	struct ktr_session of_now;
	int error;

	share->is_ended = !cpu_ns || !procs_is_alive(share->pid);
	if (share->is_ended)
		return 0;
	share->cpu_ns = cpu_ns;
	error = ktr_session_get(run->ktr, session->id, &of_now);
	if (error)
		return fail_to_read(run, error, err);
	share->calls = of_now.counters.hits;
	share->wall_ns = clock_now_ns();
	return 0;
}

/* The window starts at the first look, which may come late after the attach. */
static int watch(struct run *run, const struct ktr_session *session, struct err *err)
{
	struct sysenter_share *share = &run->report.share, first;
	uint64_t end;

	if (look(run, session, share, err))
		return -1;
	first = *share;
	end = first.wall_ns + run->config->duration;
	while (!share->is_ended) {
		signals_wait(-1, LOOK_MS);
		if (look(run, session, share, err))
			return -1;
		if (signals_nr_ends || clock_now_ns() >= end)
			break;
	}
	share->calls -= first.calls;
	share->cpu_ns -= first.cpu_ns;
	share->wall_ns -= first.wall_ns;
	return share->wall_ns ? 0 : err_set(err, "Process %d ended before it was observed.",
					    share->pid);
}

static int measure_share(struct run *run, struct err *err)
{
	struct sysenter_share *share = &run->report.share;
	struct ktr_session session;
	int result;

	if (signals_nr_ends || !run->config->pids.nr)
		return 0;
	share->pid = run->config->pids.pids[0];
	if (!procs_is_alive(share->pid))
		return err_set(err, "Process %d ended before it was observed.", share->pid);
	if (!line_read(share->comm, sizeof(share->comm), "/proc/%d/comm", share->pid))
		snprintf(share->comm, sizeof(share->comm), "?");
	if (attach(run, KTRACE_PROVIDER_SYSCALLS, share->pid, &session, err))
		return signals_nr_ends ? 0 : -1;
	result = watch(run, &session, err);
	return detach(run, &session, err) ? -1 : result;
}

/* --- options ------------------------------------------------------------------ */

static int check(const struct config *config, struct err *err)
{
	if (config->calls > MAX_CALLS)
		return err_set(err, "--calls %u is too many; use at most %d.",
			       config->calls, MAX_CALLS);
	if (config->pids.nr > 1)
		return err_set(err, "-p takes one process here; run ktrace sysenter for each.");
	if (config->duration && !config->pids.nr)
		return err_set(err, "-d limits how long -p observes a process; add -p, or omit -d.");
	return format_check(config->format, &config->output, false, err);
}

static int measure_all(struct run *run, struct err *err)
{
	struct sysenter_report *report = &run->report;

	if (measure(run, 0, &report->untraced, err))
		return -1;
	if (measure(run, KTRACE_PROVIDER_SYSENTER, &report->traced, err))
		return -1;
	if (run->config->pids.nr &&
	    (measure(run, KTRACE_PROVIDER_SYSCALLS, &report->counted, err) || measure_share(run, err)))
		return -1;
	if (!report->untraced.nr || !run->cycles)
		return err_set(err, "Interrupted before a call was measured.");
	if (report->traced.nr && !report->parts[KTRACE_SYSENTER_ENTRY].nr && !signals_nr_ends)
		return err_set(err, "The module saw none of the calls; was its session paused with ktrace ctl?");
	scale_all(report, (double)run->ns / run->cycles);
	return 0;
}

static int show(struct run *run, struct err *err)
{
	const struct config *config = run->config;

	run->report.lost = session_lost(&run->counters);
	head_set_window(run->from, clock_now_ns());
	if (config->format->document)
		config->format->document(run->out, sysenter_document(&run->report), false);
	else
		sysenter_table_print(run->out, &run->report);
	return out_close(run->out, &config->output, err);
}

static int go(struct run *run, struct err *err)
{
	run->out = out_open(&run->config->output, err);
	if (!run->out)
		return -1;
	run->report.is_emulated = cpus_are_emulated();
	run->report.cpu = run->plan.cpu;
	run->from = clock_now_ns();
	vulnerabilities_read(&run->report.vulnerabilities);
	signals_init();
	return measure_all(run, err) || show(run, err);
}

static int start(const struct config *config, int cpu)
{
	struct run *run = mem_alloc(sizeof(*run));
	struct err err;
	int code;

	run->config = config;
	run->plan.cpu = cpu;
	run->plan.nr = config->calls;
	run->ktr = module_open_to_begin(&err);
	if (!run->ktr || go(run, &err))
		code = cmd_fail(CMD_FAILED, &err);
	else
		code = cmd_tell_losses(&run->counters);
	vulnerabilities_free(&run->report.vulnerabilities);
	if (run->ktr)
		ktr_close(run->ktr);
	free(run);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { .calls = 100000, .format = &format_table };
	struct err err;
	int first, code, cpu;

	code = cmd_parse(command, argc, argv, &config, &first);
	if (code >= 0)
		return code;
	cpu = config.cpu ? cpus_parse(config.cpu, &err) : cpus_choose();
	if (first < argc)
		err_set(&err, "'%s' is not an option; name processes with -p PID.", argv[first]);
	if (first < argc || cpu < 0 || check(&config, &err))
		return cmd_fail(CMD_USAGE, &err);
	config.duration = config.duration ? config.duration : CLOCK_SECOND;
	if (procs_check_alive(config.pids.pids, config.pids.nr, &err))
		code = cmd_fail(CMD_FAILED, &err);
	else
		code = start(&config, cpu);
	free(config.pids.pids);
	return code;
}

const struct command cmd_sysenter = {
	.name = "sysenter",
	.usage = "sysenter [--cpu N] [-p PID] [options]",
	.summary = "Measure what entering and leaving the kernel costs.",
	.opts = opts,
	.examples = "  ktrace sysenter\n"
		    "  ktrace sysenter --cpu 0 --calls 10000 --format json\n"
		    "  ktrace sysenter -p $$ -d 500ms\n",
	.run = run,
};
