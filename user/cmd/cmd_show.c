// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl show: state and cost of a session. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "cmd/options.h"
#include "report/show.h"
#include "session/costs.h"
#include "session/module.h"
#include "session/origin.h"
#include "session/session.h"
#include "session/sidecar.h"
#include "system/procs.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

#define MOMENT 300	/* ms */

struct config {
	const struct output_format *format;
};

static const struct opt opts[] = {
	FORMAT_OPTION(struct config, format, FORMATS_OF_STATES),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/*
 * Returns the traced processes: those of the session's list, or all that map the file. The caller
 * frees the list.
 */
static pid_t *find_processes(const struct ktr_session *session, size_t *nr)
{
	struct sidecar *sidecar;
	struct origin origin;
	pid_t *pids = NULL;
	char *path = NULL;

	*nr = 0;
	if (session->is_selective) {
		pids = mem_alloc(sizeof(session->pids));
		memcpy(pids, session->pids, sizeof(session->pids));
		*nr = session->nr_pids;
		return pids;
	}
	sidecar = sidecar_open(session->name, session->cookie);
	if (!sidecar)
		return NULL;
	sidecar_origin(sidecar, &origin);
	path = origin_file(&origin);
	if (path)
		*nr = procs_list(path, &pids);
	free(path);
	origin_free(&origin);
	sidecar_close(sidecar);
	return pids;
}

/* Measures the current cost over MOMENT. */
static void measure_now(struct show_now *to, struct ktr *ktr, const struct ktr_session *before,
			const struct ktrace_costs *costs)
{
	pid_t *pids = find_processes(before, &to->nr_processes);
	uint64_t cpu_time = procs_cpu_time(pids, to->nr_processes);
	struct ktr_session now;
	double cost;

	signals_wait(-1, MOMENT);
	cpu_time = procs_cpu_time(pids, to->nr_processes) - cpu_time;
	free(pids);
	if (ktr_session_get(ktr, before->id, &now) ||
	    now.now.monotonic <= before->now.monotonic)
		return;
	to->is_known = true;
	to->hits_per_s = (now.counters.hits - before->counters.hits) * 1e9 /
			 (now.now.monotonic - before->now.monotonic);
	to->percent = costs_share(costs, before, &now);
	cost = costs_of(costs, &now) - costs_of(costs, before);
	if (cpu_time && cost > 0)
		to->percent_of_processes = cost < cpu_time ? cost * 100 / cpu_time : 100;
}

static uint32_t count_names(const struct ktr_session *session)
{
	struct sidecar *sidecar = sidecar_open(session->name, session->cookie);
	uint32_t nr = 0, i;

	for (i = 0; sidecar && i < session->nr_used; i++)
		nr += sidecar_name(sidecar, i) != NULL;
	sidecar_close(sidecar);
	return nr;
}

static void read_taken_out(struct show *show, struct ktr *ktr)
{
	const struct ktr_session *session = show->session;

	taken_out_read(&show->out, ktr, session);
	if (!show->out.nr)
		return;
	sidecar_read(session->name, session->cookie, session->nr_funcs, &show->names);
	names_fill(&show->names, ktr, session->id, 0);
}

static int show(struct ktr *ktr, const char *name, const struct config *config)
{
	struct ktr_session session;
	struct show show = { .session = &session };
	struct ktr_info info;
	struct err err;

	if (named_find(ktr, name, &session, &err))
		return cmd_fail(CMD_FAILED, &err);
	if (ktr_info(ktr, &info))
		memset(&info, 0, sizeof(info));
	show.costs = &info.costs;
	show.nr_named = count_names(&session);
	if (session.state == KTRACE_STATE_ACTIVE && !(session.sinks & KTRACE_SINK_COUNT))
		measure_now(&show.now, ktr, &session, &info.costs);
	read_taken_out(&show, ktr);
	if (config->format->document)
		config->format->document(stdout, show_document(&show), false);
	else
		show_print(stdout, &show);
	taken_out_free(&show.out);
	names_free(&show.names);
	if (out_flush(stdout, NULL, &err))
		return cmd_fail(CMD_FAILED, &err);
	if (session.provider == KTRACE_PROVIDER_USER)
		cmd_tell_unmatched(&session.counters);
	session_allow_overwritten(&session);
	return cmd_tell_losses(&session.counters);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { &format_table };
	struct err err;
	struct ktr *ktr;
	int first, code = cmd_parse(command, argc, argv, &config, &first);

	if (code >= 0)
		return code;
	if (first != argc - 1) {
		err_set(&err, "Which session? ktrace ctl show NAME; see: ktrace ctl list.");
		return cmd_fail(CMD_USAGE, &err);
	}
	ktr = module_open(&err);
	if (!ktr)
		return cmd_fail(CMD_FAILED, &err);
	code = show(ktr, argv[first], &config);
	ktr_close(ktr);
	return code;
}

const struct command cmd_show = {
	.name = "show",
	.usage = "ctl show NAME [--format json]",
	.summary = "Show a session's state, what it costs and what was lost.",
	.opts = opts,
	.examples = "  ktrace ctl list\n"
		    "  ktrace ctl show \"$(ktrace ctl list | awk 'NR == 2 { print $1 }')\"\n"
		    "  ktrace ctl show -h\n",
	.run = run,
};
