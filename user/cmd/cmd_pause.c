// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl pause, resume: remove the probes of a session for a while. */
#include <errno.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "session/edit.h"
#include "util/out.h"
#include "util/signals.h"

static const struct opt opts[] = {
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static int do_pause(struct knl *nl, uint64_t id, const void *arg)
{
	(void)arg;
	return knl_session_pause(nl, id);
}

static int do_resume(struct knl *nl, uint64_t id, const void *arg)
{
	(void)arg;
	return knl_session_resume(nl, id);
}

static void report(const struct knl_session *session, bool is_pause, bool is_new)
{
	if (!is_new)
		out_put(stdout, "Session %s is already %s.\n", session->name,
			is_pause ? "paused" : "running");
	else if (is_pause)
		out_put(stdout, "Session %s is paused: its %u sites are not probed, its figures stay.\nNext: ktrace ctl resume %s\n",
			session->name, session->nr_sites, session->name);
	else
		out_put(stdout, "Session %s runs again, at %u sites.\n", session->name,
			session->nr_sites);
}

static int turn(struct knl *nl, const char *name, bool is_pause)
{
	struct knl_session session;
	struct err err;
	int error;
	bool is_new;

	if (named_find(nl, name, &session, &err))
		return cmd_fail(CMD_FAILED, &err);
	error = edit_insist(nl, session.id, is_pause ? do_pause : do_resume, NULL);
	is_new = error != -EALREADY;
	if (!error || !is_new)
		error = edit_settle(nl, session.id, &session);
	if (error) {
		edit_explain(nl, name, error, &err);
		return cmd_fail(CMD_FAILED, &err);
	}
	report(&session, is_pause, is_new);
	return CMD_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err;
	struct knl *nl;
	int first, code = cmd_parse(command, argc, argv, NULL, &first);

	if (code >= 0)
		return code;
	if (first == argc) {
		err_set(&err, "Which session? ktrace ctl %s NAME...; see: ktrace ctl list.",
			command->name);
		return cmd_fail(CMD_USAGE, &err);
	}
	nl = command == &cmd_pause ? knl_open(&err) : knl_open_to_trace(&err);
	if (!nl)
		return cmd_fail(CMD_FAILED, &err);
	signals_init();
	for (code = CMD_OK; first < argc; first++)
		code |= turn(nl, argv[first], command == &cmd_pause);
	knl_close(nl);
	return code;
}

const struct command cmd_pause = {
	.name = "pause",
	.usage = "ctl pause NAME...",
	.summary = "Remove a session's probes; its results stay.",
	.opts = opts,
	.examples = "  ktrace ctl list\n"
		    "  ktrace ctl pause \"$(ktrace ctl list | awk 'NR == 2 { print $1 }')\"\n"
		    "  ktrace ctl pause -h\n",
	.run = run,
};

const struct command cmd_resume = {
	.name = "resume",
	.usage = "ctl resume NAME...",
	.summary = "Put the probes of a paused session back.",
	.opts = opts,
	.examples = "  ktrace ctl list\n"
		    "  ktrace ctl resume \"$(ktrace ctl list | awk 'NR == 2 { print $1 }')\"\n"
		    "  ktrace ctl resume -h\n",
	.run = run,
};
