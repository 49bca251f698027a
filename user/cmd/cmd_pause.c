// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl pause, resume: remove the probes of a session for a while. */
#include <errno.h>
#include <stdio.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "session/edit.h"
#include "session/module.h"
#include "util/out.h"
#include "util/signals.h"

static const struct opt opts[] = {
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static int do_pause(struct ktr *ktr, uint64_t id, const void *arg)
{
	(void)arg;
	return ktr_session_pause(ktr, id);
}

static int do_resume(struct ktr *ktr, uint64_t id, const void *arg)
{
	(void)arg;
	return ktr_session_resume(ktr, id);
}

static void report(const struct ktr_session *session, bool is_pause, bool is_new)
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

static int turn(struct ktr *ktr, const char *name, bool is_pause)
{
	struct ktr_session session;
	struct err err;
	int error;
	bool is_new;

	if (named_find(ktr, name, &session, &err))
		return cmd_fail(CMD_FAILED, &err);
	error = edit_insist(ktr, session.id, is_pause ? do_pause : do_resume, NULL);
	is_new = error != -EALREADY;
	if (!error || !is_new)
		error = edit_settle(ktr, session.id, &session);
	if (error) {
		edit_explain(ktr, name, error, &err);
		return cmd_fail(CMD_FAILED, &err);
	}
	report(&session, is_pause, is_new);
	return CMD_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct err err;
	struct ktr *ktr;
	int first, code = cmd_parse(command, argc, argv, NULL, &first);

	if (code >= 0)
		return code;
	if (first == argc) {
		err_set(&err, "Which session? ktrace ctl %s NAME...; see: ktrace ctl list.",
			command->name);
		return cmd_fail(CMD_USAGE, &err);
	}
	ktr = command == &cmd_pause ? module_open(&err) : module_open_to_trace(&err);
	if (!ktr)
		return cmd_fail(CMD_FAILED, &err);
	signals_init();
	for (code = CMD_OK; first < argc; first++)
		code |= turn(ktr, argv[first], command == &cmd_pause);
	ktr_close(ktr);
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
