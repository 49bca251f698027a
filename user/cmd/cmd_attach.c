// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl attach: probes that stay after the command has returned. */
#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "cmd/recording.h"
#include "cmd/trace_options.h"
#include "report/plan_text.h"
#include "report/taken_out.h"
#include "session/costs.h"
#include "session/module.h"
#include "session/session.h"
#include "session/sidecar.h"
#include "session/trace.h"
#include "session/wait.h"
#include "system/procs.h"
#include "util/clock.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/root.h"
#include "util/signals.h"

struct config {
	struct trace trace;
	const char *binary;
	const char *name;
	struct opt_pids pids;
	uint64_t lifetime;
	int is_forced;
	int keeps_newest;	/* records: newer ones take the place of old ones */
};

#define DEFAULT_BUDGET 10	/* percent of one CPU, for a whole program */

static const struct opt opts[] = {
	HEADING("Programs"),
	{ 'b', "binary", "FILE", OPT_STRING, offsetof(struct config, binary),
	  "the program or library whose functions are probed", NULL },
	{ 'p', "pid", "PID[,PID...]", OPT_PIDS, offsetof(struct config, pids),
	  "only these processes (default: all that map FILE, now or later)", NULL },
	{ 0, "follow", NULL, OPT_FLAG, offsetof(struct config, trace.does_follow),
	  "also trace children of the processes of --pid, and programs that they execute", NULL },
	CONDITION_OPTIONS(struct config, trace.conditions),
	HEADING("Session"),
	{ 'n', "name", "NAME", OPT_STRING, offsetof(struct config, name),
	  "the session's name (default: FILE's)", NULL },
	{ 0, "for", "TIME", OPT_PERIOD, offsetof(struct config, lifetime),
	  "remove the probes after this time; the results stay", NULL },
	{ 0, "force", NULL, OPT_FLAG, offsetof(struct config, is_forced),
	  "even if more than 256 MiB of program code will be copied", NULL },
	BY_OPTION(struct config, trace.by, CHOSEN_FUNCTION_KEYS),
	TRACE_PROBE_OPTIONS(struct config, trace),
	{ 0, "overwrite", NULL, OPT_FLAG, offsetof(struct config, keeps_newest),
	  "with --stream: keep the newest records, for ktrace snapshot", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct attach {
	struct config config;
	char **words;		/* of the command, from its name on */
	bool has_default_budget;
	char path[PATH_MAX];	/* the binary's path, as from root_realpath(), or /proc/PID/exe */
	char shown[PATH_MAX];	/* the path as users write it */
	char name[KTRACE_NAME_LEN];
	struct plan plan;
	struct ktr *ktr;
	struct ktr_session session;
	size_t nr_processes;
	pid_t pid;		/* whose libraries are taken: procs_reference(), or the first --pid */
	uint64_t cookie;	/* of the stored names, or 0 */
	struct names names;	/* in a recording */
	uint32_t flags;		/* KTRACE_F_* */
	double seconds;		/* duration of attaching */
};

/* --- options ------------------------------------------------------------- */

static int parse(const struct command *command, int argc, char **argv, struct config *config)
{
	struct err err;
	int first, code = cmd_parse(command, argc, argv, config, &first);

	if (code >= 0)
		return code;
	/* --pid 1 2 3 */
	for (; first < argc && config->pids.nr; first++)
		if (opt_add_pids(&config->pids, argv[first], &err))
			return cmd_fail(CMD_USAGE, &err);
	if (first < argc) {
		if (config->binary)
			err_set(&err, "'%s' is not understood; to start a program use: ktrace run -- %s.",
				argv[first], argv[first]);
		else
			err_set(&err, "'%s' needs an option in front: ktrace ctl attach --binary %s; to start a program use: ktrace run -- %s.",
				argv[first], argv[first], argv[first]);
		return cmd_fail(CMD_USAGE, &err);
	}
	return -1;
}

static void default_name(struct attach *attach)
{
	const char *base = plan_file_name(attach->shown);
	size_t i;

	base += *base == '.';
	snprintf(attach->name, sizeof(attach->name), "%.*s",
		 (int)strcspn(base, " ") < KTRACE_NAME_LEN ? (int)strcspn(base, " ") :
		 KTRACE_NAME_LEN - 1, base);
	for (i = 0; attach->name[i]; i++)
		if (!isalnum((unsigned char)attach->name[i]) &&
		    !strchr("._-", attach->name[i]))
			attach->name[i] = '_';
}

static int check(struct config *config, struct err *err)
{
	if (!config->binary && !config->pids.nr)
		return err_set(err, "Attach to what? Name the file: ktrace ctl attach --binary FILE.");
	if (config->name && named_check(config->name, err))
		return -1;
	if (config->trace.does_follow && !config->pids.nr)
		return err_set(err, "--follow needs --pid; without --pid, all processes that map FILE are traced, including children.");
	if (config->keeps_newest && !config->trace.with_stream)
		return err_set(err, "--overwrite keeps the newest records of calls: add --stream, and save them with ktrace snapshot.");
	return trace_options_check(&config->trace, err);
}

/* Finds the program of a process through /proc: the file may have no path here, or be removed. */
static int find_program(struct attach *attach, pid_t pid, struct err *err)
{
	static const char deleted[] = " (deleted)";
	ssize_t len;

	snprintf(attach->path, sizeof(attach->path), "/proc/%d/exe", (int)pid);
	len = readlink(attach->path, attach->shown, sizeof(attach->shown) - 1);
	if (len > 0) {
		attach->shown[len] = 0;
		len -= sizeof(deleted) - 1;
		if (len > 0 && !strcmp(attach->shown + len, deleted))
			attach->shown[len] = 0;
		return 0;
	}
	return err_set(err, "The program of process %d cannot be determined: %s; try as root.", pid,
		       strerror(errno));
}

/* Finds FILE as the process sees it: in its mount namespace, even if the path has been replaced. */
static int find_file(struct attach *attach, pid_t pid, struct err *err)
{
	const char *binary = attach->config.binary;
	char *file = procs_file(pid, binary);

	if (!file)
		return err_set(err, "Process %d does not map %s; /proc/%d/maps lists what it maps.",
			       pid, binary, pid);
	snprintf(attach->path, sizeof(attach->path), "%s", file);
	free(file);
	return 0;
}

static int find_path(struct attach *attach, struct err *err)
{
	const char *binary = attach->config.binary;

	if (!root_realpath(binary, attach->path))
		return 0;
	if (errno == ENOENT)
		return err_set(err, "%s cannot be opened: there is no such file; check the path, or name a process that maps it: --pid PID.",
			       binary);
	return err_set(err, "%s cannot be opened: %s; check the path.", binary, strerror(errno));
}

static int find_binary(struct attach *attach, struct err *err)
{
	const struct config *config = &attach->config;
	const struct opt_pids *pids = &config->pids;
	size_t i;

	if (procs_check_namespace(err))
		return -1;
	for (i = 0; i < pids->nr; i++)
		if (procs_check(pids->pids[i], err))
			return -1;
	if (config->binary)
		snprintf(attach->shown, sizeof(attach->shown), "%s", config->binary);
	if (!config->binary)
		return find_program(attach, pids->pids[0], err);
	return pids->nr ? find_file(attach, pids->pids[0], err) : find_path(attach, err);
}

static int find_processes(struct attach *attach, struct err *err)
{
	const struct opt_pids *pids = &attach->config.pids;
	size_t i, nr;

	if (!pids->nr) {
		attach->nr_processes = procs_count(attach->path);
		attach->pid = procs_reference(attach->path);
		nr = procs_count_replaced(attach->path);
		if (nr)
			out_put(stderr, "ktrace: an older file of this path, which was replaced, is in use by %zu process%s that this session does not trace; use --pid to trace such a process.\n",
				nr, nr == 1 ? "" : "es");
		return 0;
	}
	for (i = 1; i < pids->nr; i++)
		if (!procs_maps(pids->pids[i], attach->path))
			return err_set(err, "Process %d does not map %s of process %d; /proc/%d/maps lists what it maps.",
				       pids->pids[i], attach->shown, pids->pids[0],
				       pids->pids[i]);
	attach->nr_processes = pids->nr;
	attach->pid = pids->pids[0];
	return 0;
}

/* --- attaching ----------------------------------------------------------- */

#define ROOM 4096	/* minimum number of functions that can be added later ... */
#define ROOM_COST 256	/* ... cost of one, in bytes ... */
#define ROOM_COST_CPU 16 /* ... and per CPU, during a reset */

/* Returns the number of functions to reserve, limited to a sixteenth of the remaining memory. */
static uint32_t room_of(const struct attach *attach)
{
	size_t room = attach->plan.nr_probed / 2 > ROOM ? attach->plan.nr_probed / 2 : ROOM;
	struct ktr_info info;
	uint64_t cost, left;

	if (ktr_info(attach->ktr, &info) || info.mem > info.limits.max_mem)
		return 0;
	cost = ROOM_COST + (uint64_t)ROOM_COST_CPU * info.limits.nr_cpus;
	left = (info.limits.max_mem - info.mem) / 16 / cost;
	return room < left ? room : left;
}

static uint32_t sinks_of(const struct trace *trace)
{
	uint32_t sinks = trace->is_count ? KTRACE_SINK_COUNT : KTRACE_SINK_HIST;

	if (!trace->is_count && !trace->no_tree)
		sinks |= KTRACE_SINK_TREE;
	if (trace_has_table(trace))
		sinks |= KTRACE_SINK_TABLE;
	if (trace->with_stream)
		sinks |= KTRACE_SINK_STREAM;
	return sinks;
}

/*
 * Stores names and options for ctl change, which finds the session by its cookie and probes in the
 * same way.
 */
static int keep_names(void *arg, uint64_t cookie, struct err *err)
{
	struct attach *attach = arg;
	struct origin origin = {
		.path = attach->path, .pid = attach->pid,
		.shown = attach->config.pids.nr ? attach->shown : NULL,
		.trace = attach->config.trace, .words = (const char **)attach->words,
	};
	struct stat st;

	if (!fstat(attach->plan.objects[0].fd, &st)) {
		origin.dev = st.st_dev;
		origin.ino = st.st_ino;
	}
	attach->cookie = cookie;
	return sidecar_write(attach->name, cookie, &attach->plan, &origin, err);
}

static int make_session(struct attach *attach, struct err *err)
{
	const struct trace *trace = &attach->config.trace;
	struct session_options options = {
		.name = recording_is_on() ? NULL : attach->name,
		.provider = KTRACE_PROVIDER_USER,
		.sinks = recording_is_on() ? KTRACE_SINK_STREAM : sinks_of(trace),
		.flags = attach->flags | (attach->config.keeps_newest ? KTRACE_F_OVERWRITE : 0),
		.does_follow = trace->does_follow,
		.room = room_of(attach),
		.pids = attach->config.pids.pids,
		.nr_pids = attach->config.pids.nr,
		.lifetime = recording_is_on() ? 0 : attach->config.lifetime,
		.is_budget_optional = attach->has_default_budget,
		.keep = recording_is_on() ? NULL : keep_names,
		.keep_arg = attach,
		.progress = progress_choose(),
		.nr_wanted = attach->plan.nr_sites,
	};
	uint64_t begin = clock_now_ns();
	int error;

	trace_fill_session(trace, &attach->plan, &options);
	if (recording_is_on())
		recording_fill(&options);
	error = session_attach(attach->ktr, &attach->plan, &options, &signals_nr_ends,
			       &attach->session, err);
	progress_end();
	if (error) {
		if (attach->cookie)
			sidecar_remove(attach->name, attach->cookie);
		return -1;
	}
	attach->seconds = (clock_now_ns() - begin) / 1e9;
	return 0;
}

static size_t count_returns(const struct plan *plan, unsigned int how)
{
	size_t i, nr = 0;

	for (i = 0; i < plan->nr_probed; i++)
		nr += plan->funcs[i].desc.ret == how;
	return nr;
}

static void report_returns(const struct attach *attach)
{
	const struct plan *plan = &attach->plan;
	size_t nr_counted = count_returns(plan, KTRACE_RETURN_NONE);
	size_t nr_unseen = count_returns(plan, KTRACE_RETURN_UNSEEN);
	size_t nr_silent = count_returns(plan, KTRACE_RETURN_SILENT);

	if (nr_counted && !attach->config.trace.is_count)
		out_put(stdout, "  %zu of them are only counted: their returns cannot be seen.\n",
			nr_counted);
	if (nr_unseen)
		out_put(stdout, "  The returns of %zu functions cannot be seen: their times are upper bounds (at most).\n",
			nr_unseen);
	if (nr_silent)
		out_put(stdout, "  Of %zu more functions, which are reached by jumps, only the returns are probed.\n",
			nr_silent);
}

/* Shows the budget that was not asked for, or the cost per call without budget and end. */
static void say_price(const struct attach *attach)
{
	const struct trace *trace = &attach->config.trace;
	struct ktr_info info;

	if (attach->has_default_budget && attach->session.budget)
		out_put(stdout, "  The probes may cost %u %% of one CPU; above it, the costliest functions are removed (--budget PERCENT or none changes this).\n",
			DEFAULT_BUDGET);
	else if (attach->has_default_budget)
		out_put(stderr, "ktrace: The cost of a probe could not be measured, so no budget limits the probes; ktrace ctl show shows what they cost.\n");
	if (trace->functions.nr || attach->session.budget || attach->config.lifetime ||
	    trace->is_count ||
	    ktr_info(attach->ktr, &info) || !info.costs.entry)
		return;
	out_put(stdout, "  Each call costs the program about %.1f us. Neither --for nor --budget limits this.\n",
		costs_of_call(&info.costs) / 1e3);
}

static void report(const struct attach *attach)
{
	const struct plan *plan = &attach->plan;
	size_t nr = plan->nr_probed - count_returns(plan, KTRACE_RETURN_SILENT) -
		    attach->session.nr_failed;
	uint64_t copied = plan_copied_text(plan);
	char text[FMT_LEN];

	out_put(stdout, "Session %s: %zu function%s at %u site%s in %.3f s.\n", attach->name,
		nr, nr == 1 ? "" : "s", attach->session.nr_sites,
		attach->session.nr_sites == 1 ? "" : "s", attach->seconds);
	report_returns(attach);
	if (plan->nr_funcs > plan->nr_probed)
		out_put(stdout, "  %zu more were left out; --dry-run lists them with the reasons.\n",
			plan->nr_funcs - plan->nr_probed);
	out_put(stdout, "  %zu process%s of %s; %llu KiB of program code copied in each.\n",
		attach->nr_processes, attach->nr_processes == 1 ? "" : "es",
		attach->shown, (unsigned long long)copied >> 10);
	if (attach->session.has_left)
		out_put(stdout, "  The probes are removed in %s (--for).\n",
			fmt_plain(text, attach->config.lifetime));
	say_price(attach);
	out_put(stdout, "Next: ktrace ctl read %s; ktrace ctl detach %s\n", attach->name, attach->name);
}

/* On a terminal, waits one second to show the real cost. A script does not wait. */
static void tell_cost(struct attach *attach)
{
	uint64_t end = clock_now_ns() + CLOCK_SECOND, now;
	struct ktr_session before, after;
	struct ktr_info info;

	if (!isatty(STDOUT_FILENO) || attach->config.trace.is_count ||
	    ktr_session_get(attach->ktr, attach->session.id, &before))
		return;
	while ((now = clock_now_ns()) < end && !signals_nr_ends)
		signals_wait(-1, (end - now) / 1000000 + 1);
	if (ktr_info(attach->ktr, &info) ||
	    ktr_session_get(attach->ktr, attach->session.id, &after))
		return;
	out_put(stdout, "In its first second: %llu hits, which cost %.1f %% of one CPU.\n",
		(unsigned long long)(after.counters.hits - before.counters.hits),
		costs_share(&info.costs, &before, &after));
}

/* A pattern without a match may be mistyped, or its library may be loaded later. */
static void tell_lacking(const struct attach *attach)
{
	const struct trace *trace = &attach->config.trace;
	const char *lib = match_unused(&trace->nested_libs);
	const char *function = match_unused(&trace->functions);
	struct err err;

	if (lib) {
		plan_no_lib(&attach->plan, lib, &err);
		out_put(stderr, "ktrace: %s To probe libraries that are loaded later, run: ktrace ctl watch %s.\n",
			err.text, attach->name);
	}
	if (function) {
		plan_no_function(&attach->plan, function, &err);
		out_put(stderr, "ktrace: %s\n", err.text);
	}
}

/* --- as a part of a recording ---------------------------------------------- */

static int attach_recorded(void *arg, const struct recording_shared *shared, struct err *err)
{
	struct attach *attach = arg;
	struct recorded_source source = { .names = &attach->names, .command = recording_words() };

	attach->ktr = shared->ktr;
	attach->flags = shared->has_entries ? 0 : KTRACE_F_NO_ENTRIES;
	if (make_session(attach, err))
		return -1;
	attach->names.has_places = true;
	names_add(&attach->names, &attach->plan, 0);
	plan_tell_failed(stderr, attach->ktr, &attach->session, &attach->plan);
	recording_attached(&attach->session, &source, false);
	return 0;
}

static int end_recorded(void *arg)
{
	struct attach *attach = arg;

	taken_out_tell(stderr, attach->ktr, &attach->session, &attach->names);
	return CMD_OK;
}

static int record(struct attach *attach)
{
	struct recording_part part = {
		.choice = { .pids = &attach->config.pids, .duration = attach->config.lifetime },
		.sources = { { .provider = KTRACE_PROVIDER_USER, .plan = &attach->plan } },
		.nr_sources = 1,
		.attach = attach_recorded, .end = end_recorded, .arg = attach,
	};
	struct err err;
	int code;

	if (attach->config.name) {
		err_set(&err, "--name is for a session that stays, and that of a recording ends with it: omit --name.");
		return cmd_fail(CMD_USAGE, &err);
	}
	tell_lacking(attach);
	code = recording_add(&part);
	attach->ktr = NULL;
	names_free(&attach->names);
	return code;
}

static int go(struct attach *attach)
{
	struct trace_file file = { attach->path, NULL, 0 };
	size_t nr_failed, nr_unopened, nr_writable;
	struct err err;
	int error;

	if (find_processes(attach, &err))
		return cmd_fail(CMD_FAILED, &err);
	file.pid = attach->pid;
	/* A path in /proc means nothing to a reader. */
	if (attach->config.pids.nr)
		file.shown = attach->shown;
	attach->config.trace.may_load_more = true;
	error = trace_plan(&attach->config.trace, &file, &attach->plan, &err);
	nr_unopened = plan_tell_unopened(stderr, &attach->plan);
	if (error)
		return cmd_fail(CMD_FAILED, &err);
	plan_tell_tsan(stderr, &attach->plan);
	plan_tell_unbound(stderr, &attach->plan);
	nr_writable = plan_tell_writable(stderr, &attach->plan);
	if (attach->config.trace.is_dry_run) {
		plan_print(stdout, &attach->plan);
		plan_print_unmatched(stdout, &attach->config.trace);
		return CMD_OK;
	}
	plan_tell_named(stderr, &attach->plan);
	signals_init();
	if (!attach->config.is_forced &&
	    plan_check_copied(&attach->plan, attach->nr_processes, &err))
		return cmd_fail(CMD_FAILED, &err);
	if (recording_is_on())
		return record(attach);
	if (make_session(attach, &err))
		return cmd_fail(CMD_FAILED, &err);
	nr_failed = plan_tell_failed(stderr, attach->ktr, &attach->session, &attach->plan);
	if (nr_failed && nr_failed == attach->plan.nr_probed) {
		session_delete(attach->ktr, attach->session.id);
		sidecar_remove(attach->name, attach->cookie);
		err_set(&err, "None of the functions could be probed; nothing stays attached.");
		return cmd_fail(CMD_FAILED, &err);
	}
	report(attach);
	tell_lacking(attach);
	tell_cost(attach);
	return nr_failed || nr_unopened || nr_writable ? CMD_INCOMPLETE : CMD_OK;
}

/* Thousands of functions on a server can cost any amount. */
static void set_default_budget(struct attach *attach)
{
	_Static_assert(TRACE_NO_BUDGET == OPT_NONE, "--budget none");
	struct trace *trace = &attach->config.trace;

	if (trace->budget || trace->functions.nr || trace->is_count)
		return;
	trace->budget = DEFAULT_BUDGET;
	attach->has_default_budget = true;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct attach *attach = mem_alloc(sizeof(*attach));
	struct config *config = &attach->config;
	struct err err;
	int code = parse(command, argc, argv, config);

	if (code >= 0)
		return code;
	attach->words = argv;
	config->trace.with_stream |= recording_is_on();
	if (check(config, &err))
		return cmd_fail(CMD_USAGE, &err);
	set_default_budget(attach);
	if (!config->trace.is_dry_run && !recording_is_on()) {
		attach->ktr = module_open_to_begin(&err);
		if (!attach->ktr)
			return cmd_fail(CMD_FAILED, &err);
	}
	if (find_binary(attach, &err))
		return cmd_fail(CMD_FAILED, &err);
	if (config->name)
		snprintf(attach->name, sizeof(attach->name), "%s", config->name);
	else
		default_name(attach);
	if (named_check(attach->name, &err))
		return cmd_fail(CMD_USAGE, &err);
	code = go(attach);
	plan_free(&attach->plan);
	ktr_close(attach->ktr);
	trace_free(&config->trace);
	free(config->pids.pids);
	free(attach);
	return code;
}

const struct command cmd_attach = {
	.name = "attach",
	.usage = "ctl attach --binary FILE [--pid PID ...] [--name NAME] [options]",
	.summary = "Probe programs that run or start later. Returns when attached.",
	.opts = opts,
	.examples = "  ktrace ctl attach --binary /bin/bash --dry-run\n"
		    "  ktrace ctl attach --binary /bin/bash --name shells\n"
		    "  ktrace ctl attach --pid $$ -f 'malloc,free' --name mine\n",
	.run = run,
};
