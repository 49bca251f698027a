// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl detach: ends sessions and removes all of their probes. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "session/edit.h"
#include "session/module.h"
#include "session/session.h"
#include "session/sidecar.h"
#include "session/wait.h"
#include "system/procs.h"
#include "util/clock.h"
#include "util/out.h"
#include "util/signals.h"

struct config {
	int is_all;
	struct opt_pids pids;
};

static const struct opt opts[] = {
	{ 'a', "all", NULL, OPT_FLAG, offsetof(struct config, is_all), "every named session",
	  NULL },
	{ 'p', "pid", "PID[,PID...]", OPT_PIDS, offsetof(struct config, pids),
	  "only stop tracing these processes; the session continues", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static int detach(struct ktr *ktr, const struct ktr_session *session)
{
	uint64_t begin = clock_now_ns();
	int error = session_delete(ktr, session->id);
	double seconds = (clock_now_ns() - begin) / 1e9;

	/* Another command has already ended the session. */
	if (error == -ENOENT) {
		out_put(stdout, "Session %s was ended by another command.\n", session->name);
		return CMD_OK;
	}
	if (error) {
		out_put(stderr, "ktrace: %s cannot be detached: %s.\n", session->name,
			ktr_reason(ktr, error));
		return CMD_FAILED;
	}
	sidecar_remove(session->name, session->cookie);
	out_put(stdout, "Session %s detached in %.3f s, after %llu hits.\n", session->name,
		seconds, (unsigned long long)session->counters.hits);
	return CMD_OK;
}

static int detach_processes(struct ktr *ktr, const struct ktr_session *session,
			    const struct opt_pids *pids)
{
	struct ktr_change change = { .not_pids = pids->pids, .nr_not_pids = pids->nr };
	struct err err;
	int error;

	if (procs_check_all(pids->pids, pids->nr, &err))
		return cmd_fail(CMD_FAILED, &err);
	error = edit_rest(ktr, session->id, &change);
	if (error) {
		edit_explain(ktr, session->name, error, &err);
		return cmd_fail(CMD_FAILED, &err);
	}
	out_put(stdout, "Session %s continues without %zu process%s.\n", session->name, pids->nr,
		pids->nr == 1 ? "" : "es");
	return CMD_OK;
}

static int detach_named(struct ktr *ktr, const char *name, const struct config *config)
{
	struct ktr_session session;
	struct err err;

	if (named_find(ktr, name, &session, &err))
		return cmd_fail(CMD_FAILED, &err);
	return config->pids.nr ? detach_processes(ktr, &session, &config->pids) :
	       detach(ktr, &session);
}

static int detach_all(struct ktr *ktr)
{
	struct ktr_session *sessions;
	int code = CMD_OK, error;
	struct err err;
	size_t nr, i;

	error = ktr_session_list(ktr, &sessions, &nr);
	for (i = 0; i < nr; i++)
		if (sessions[i].name[0])
			code |= detach(ktr, &sessions[i]);
	free(sessions);
	if (!error)
		return code;
	err_set(&err, "The module's sessions cannot be listed: %s.", ktr_reason(ktr, error));
	return cmd_fail(CMD_FAILED, &err);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { 0, { NULL, 0 } };
	struct ktr_info info;
	struct err err;
	struct ktr *ktr;
	int first, code = cmd_parse(command, argc, argv, &config, &first);

	if (code >= 0)
		return code;
	if ((first == argc) == !config.is_all || (config.is_all && config.pids.nr)) {
		err_set(&err, "Which sessions? ktrace ctl detach NAME..., or --all; see: ktrace ctl list.");
		return cmd_fail(CMD_USAGE, &err);
	}
	/* After an upgrade, a different module may be loaded; its sessions can be ended as well. */
	ktr = config.pids.nr ? module_open(&err) : module_open_any(&info, &err);
	if (!ktr)
		return cmd_fail(CMD_FAILED, &err);
	if (config.pids.nr)
		signals_init();
	code = config.is_all ? detach_all(ktr) : CMD_OK;
	for (; first < argc; first++)
		code |= detach_named(ktr, argv[first], &config);
	ktr_close(ktr);
	free(config.pids.pids);
	return code;
}

const struct command cmd_detach = {
	.name = "detach",
	.usage = "ctl detach NAME... [--pid PID[,PID...]] | --all",
	.summary = "End sessions and remove their probes.",
	.opts = opts,
	.examples = "  ktrace ctl list\n  ktrace ctl detach --all\n  ktrace ctl detach -h\n",
	.run = run,
};
