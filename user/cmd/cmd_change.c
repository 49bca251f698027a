// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl change: functions, processes and conditions of a running session. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "cmd/options.h"
#include "report/plan_text.h"
#include "session/change.h"
#include "session/edit.h"
#include "session/module.h"
#include "session/sidecar.h"
#include "session/trace.h"
#include "system/procs.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

#define NOT_GIVEN UINT64_MAX

struct config {
	struct trace trace;	/* functions, conditions, min_time, max_depth */
	struct match removed;
	struct opt_pids pids, not_pids;
	int is_forced;
};

static const struct opt opts[] = {
	HEADING("Functions"),
	{ 'f', "function", "GLOB[,GLOB...]", OPT_GLOBS, offsetof(struct config, trace.functions),
	  "add these functions of the session's file and its libraries", NULL },
	{ 'r', "remove", "GLOB[,GLOB...]", OPT_GLOBS, offsetof(struct config, removed),
	  "stop probing these; their results stay", NULL },
	{ 0, "force", NULL, OPT_FLAG, offsetof(struct config, is_forced),
	  "add functions even if more than 256 MiB of program code will be copied", NULL },
	HEADING("Programs"),
	{ 'p', "pid", "PID[,PID...]", OPT_PIDS, offsetof(struct config, pids),
	  "trace these processes too", NULL },
	{ 0, "not-pid", "PID[,PID...]", OPT_PIDS, offsetof(struct config, not_pids),
	  "stop tracing these processes", NULL },
	CONDITION_OPTIONS(struct config, trace.conditions),
	HEADING("Limits"),
	{ 0, "min-time", "TIME", OPT_TIME, offsetof(struct config, trace.min_time),
	  "calls of at least TIME from now on; 0: all", NULL },
	{ 0, "max-depth", "N", OPT_NUMBER, offsetof(struct config, trace.max_depth),
	  "calls nested up to N deep from now on", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct changing {
	struct config config;
	const char *name;
	struct ktr *ktr;
	struct ktr_session session;
	struct sidecar *sidecar;
	struct origin origin;
	char *path;		/* of the session's file, or NULL */
	struct plan plan;
	struct ktr_change rest;
	struct change change;
};

/* --- options ------------------------------------------------------------- */

static bool has_functions(const struct config *config)
{
	return config->trace.functions.nr || config->removed.nr;
}

static bool has_rest(const struct config *config)
{
	return config->pids.nr || config->not_pids.nr || config->trace.max_depth ||
	       config->trace.min_time != NOT_GIVEN ||
	       conditions_are_given(&config->trace.conditions);
}

static int check(const struct changing *changing, struct err *err)
{
	const struct config *config = &changing->config;

	if (has_functions(config) && changing->session.provider != KTRACE_PROVIDER_USER)
		return err_set(err, "The session %s was not begun by ctl attach, so its functions cannot be changed; detach it, and begin another.",
			       changing->name);
	if ((changing->session.sinks & KTRACE_SINK_COUNT) &&
	    (config->trace.max_depth || config->trace.min_time != NOT_GIVEN))
		return err_set(err, "The session %s only counts calls (--count), so there are no times or depths to limit.",
			       changing->name);
	if (procs_check_all(config->pids.pids, config->pids.nr, err))
		return -1;
	return procs_check_all(config->not_pids.pids, config->not_pids.nr, err);
}

/* --- the session's file -------------------------------------------------- */

/* Finds the same file, even if its path has changed. */
static void find_file(struct changing *changing)
{
	const struct opt_pids *pids = &changing->config.pids;
	const struct origin *origin = &changing->origin;
	size_t i;

	changing->path = origin_file(origin);
	for (i = 0; i < pids->nr && !changing->path && origin->path; i++) {
		changing->path = procs_file(pids->pids[i], origin->shown ? origin->shown :
					    origin->path);
		if (!origin_is_file(origin, changing->path)) {
			free(changing->path);
			changing->path = NULL;
		}
	}
}

static int check_mapped(const struct changing *changing, struct err *err)
{
	const struct opt_pids *pids = &changing->config.pids;
	size_t i;

	for (i = 0; changing->path && i < pids->nr; i++)
		if (!procs_maps(pids->pids[i], changing->path))
			return err_set(err, "Process %d does not map %s, which the session %s probes; /proc/%d/maps lists what it maps.",
				       pids->pids[i], origin_name(&changing->origin), changing->name,
				       pids->pids[i]);
	return 0;
}

static void open_origin(struct changing *changing)
{
	changing->sidecar = sidecar_open(changing->name, changing->session.cookie);
	if (!changing->sidecar)
		return;
	sidecar_origin(changing->sidecar, &changing->origin);
	find_file(changing);
}

static pid_t process_of(const struct changing *changing)
{
	pid_t pid = changing->origin.shown ? changing->origin.pid : 0;

	return pid && procs_maps(pid, changing->path) ? pid : procs_reference(changing->path);
}

/* For a session of named processes, only the processes named in this command are known. */
static size_t count_processes(const struct changing *changing)
{
	if (changing->config.is_forced)
		return 0;
	return changing->origin.shown ? 1 + changing->config.pids.nr :
	       procs_count(changing->path);
}

/* Plans with the options of ctl attach, but with other functions. */
static int make_plan(struct changing *changing, struct err *err)
{
	const struct origin *origin = &changing->origin;
	struct trace trace = {
		.functions = changing->config.trace.functions,
		.libs = origin->trace.libs,
		.nested_libs = origin->trace.nested_libs,
		.how = origin->trace.how,
		.is_count = origin->trace.is_count,
		.has_no_libs = origin->trace.has_no_libs,
	};
	struct trace_file file = { changing->path, origin->shown, 0 };
	int error;

	if (!changing->path)
		return err_set(err, "%s, which the session %s probes, is gone or was replaced; attach another session for more functions.",
			       origin_name(&changing->origin), changing->name);
	file.pid = process_of(changing);
	error = trace_plan(&trace, &file, &changing->plan, err);
	plan_tell_unopened(stderr, &changing->plan);
	if (!error)
		plan_tell_unbound(stderr, &changing->plan);
	return error;
}

/* --- changing ------------------------------------------------------------ */

static void fill_rest(struct changing *changing)
{
	const struct config *config = &changing->config;
	struct ktr_change *rest = &changing->rest;

	rest->pids = config->pids.pids;
	rest->nr_pids = config->pids.nr;
	rest->not_pids = config->not_pids.pids;
	rest->nr_not_pids = config->not_pids.nr;
	rest->conditions = conditions_of(&config->trace.conditions);
	rest->min_time = config->trace.min_time == NOT_GIVEN ? NULL : &config->trace.min_time;
	rest->max_depth = config->trace.max_depth;
}

static int change_rest(struct changing *changing, struct err *err)
{
	int error = edit_rest(changing->ktr, changing->session.id, &changing->rest);

	if (!error)
		error = edit_settle(changing->ktr, changing->session.id, &changing->session);
	return error ? edit_explain(changing->ktr, changing->name, error, err) : 0;
}

static int change_all(struct changing *changing, struct err *err)
{
	struct change *change = &changing->change;

	change->name = changing->name;
	change->removed = changing->config.removed;
	change->rest = &changing->rest;
	if (changing->config.trace.functions.nr) {
		if (changing->sidecar && make_plan(changing, err))
			return -1;
		change->plan = &changing->plan;
		change->nr_processes = count_processes(changing);
	}
	return change_functions(changing->ktr, &changing->session, change, err);
}

static void print_part(const char **comma, size_t nr, const char *one, const char *what)
{
	if (!nr)
		return;
	out_put(stdout, "%s%zu %s%s %s", *comma, nr, one, nr == 1 ? "" : *one == 'p' ? "es" : "s", what);
	*comma = ", ";
}

static void report(const struct changing *changing)
{
	const struct config *config = &changing->config;
	const struct change *change = &changing->change;
	const char *comma = ": ";

	out_put(stdout, "Session %s changed", changing->name);
	print_part(&comma, change->nr_added, "function", "added");
	print_part(&comma, change->nr_back, "function", "restored");
	print_part(&comma, change->nr_there, "function", "already present");
	print_part(&comma, change->nr_removed, "function", "removed");
	print_part(&comma, config->pids.nr, "process", "added");
	print_part(&comma, config->not_pids.nr, "process", "removed");
	out_put(stdout, "%s%u sites are probed now.\n", has_functions(config) ? "; " : "; still ",
		changing->session.nr_sites);
}

static int change(struct changing *changing)
{
	uint32_t nr_failed;
	struct err err;
	int error;

	if (named_find(changing->ktr, changing->name, &changing->session, &err) ||
	    check(changing, &err))
		return cmd_fail(CMD_FAILED, &err);
	nr_failed = changing->session.nr_failed;
	open_origin(changing);
	if (check_mapped(changing, &err))
		return cmd_fail(CMD_FAILED, &err);
	fill_rest(changing);
	error = has_functions(&changing->config) ? change_all(changing, &err) :
		change_rest(changing, &err);
	if (error)
		return cmd_fail(CMD_FAILED, &err);
	report(changing);
	if (changing->session.nr_failed > nr_failed)
		out_put(stderr, "ktrace: %u of the functions could not be probed; ktrace ctl read %s --format json has the reasons.\n",
			changing->session.nr_failed - nr_failed, changing->name);
	return CMD_OK;
}

static void end(struct changing *changing)
{
	plan_free(&changing->plan);
	origin_free(&changing->origin);
	sidecar_close(changing->sidecar);
	ktr_close(changing->ktr);
	trace_free(&changing->config.trace);
	match_free(&changing->config.removed);
	free(changing->config.pids.pids);
	free(changing->config.not_pids.pids);
	free(changing->path);
	free(changing);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct changing *changing = mem_alloc(sizeof(*changing));
	struct config *config = &changing->config;
	struct err err;
	int first, code;

	config->trace.min_time = NOT_GIVEN;
	code = cmd_parse(command, argc, argv, config, &first);
	if (code >= 0)
		return code;
	if (first != argc - 1) {
		err_set(&err, "Which session? ktrace ctl change NAME ...; see: ktrace ctl list.");
		return cmd_fail(CMD_USAGE, &err);
	}
	if (!has_functions(config) && !has_rest(config)) {
		err_set(&err, "Change what? Name functions (-f, --remove), processes (--pid, --not-pid) or conditions; see -h.");
		return cmd_fail(CMD_USAGE, &err);
	}
	changing->name = argv[first];
	changing->ktr = module_open_to_trace(&err);
	if (!changing->ktr)
		return cmd_fail(CMD_FAILED, &err);
	signals_init();
	code = change(changing);
	end(changing);
	return code;
}

const struct command cmd_change = {
	.name = "change",
	.usage = "ctl change NAME [options]",
	.summary = "Change a session while it runs: functions, processes, conditions.",
	.opts = opts,
	.examples = "  ktrace ctl list\n"
		    "  ktrace ctl change \"$(ktrace ctl list | awk 'NR == 2 { print $1 }')\" --uid any\n"
		    "  ktrace ctl change -h\n",
	.run = run,
};
