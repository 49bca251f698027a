// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl detach: ends sessions and removes every probe of theirs. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cmd.h"
#include "mem.h"
#include "named.h"
#include "session.h"
#include "sidecar.h"

struct config {
	int is_all;
};

static const struct opt opts[] = {
	{ 'a', "all", NULL, OPT_FLAG, offsetof(struct config, is_all), "every named session",
	  NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

static int detach(struct knl *nl, const struct knl_session *session)
{
	struct timespec begin, end;
	int error;

	clock_gettime(CLOCK_MONOTONIC, &begin);
	error = session_delete(nl, session->id);
	clock_gettime(CLOCK_MONOTONIC, &end);
	if (error) {
		fprintf(stderr, "ktrace: %s cannot be detached: %s.\n", session->name,
			strerror(-error));
		return CMD_FAILED;
	}
	sidecar_remove(session->name);
	printf("Session %s detached in %.3f s, after %llu hits.\n", session->name,
	       end.tv_sec - begin.tv_sec + (end.tv_nsec - begin.tv_nsec) / 1e9,
	       (unsigned long long)session->counters.hits);
	return CMD_OK;
}

static int detach_named(struct knl *nl, const char *name)
{
	struct knl_session session;
	struct err err;

	if (named_find(nl, name, &session, &err))
		return cmd_fail(CMD_FAILED, &err);
	return detach(nl, &session);
}

struct list {
	struct knl_session *sessions;
	size_t nr;
};

static void take(void *arg, const struct knl_session *session)
{
	struct list *list = arg;

	if (!session->name[0])
		return;
	list->sessions = mem_grow(list->sessions, list->nr, sizeof(*list->sessions));
	list->sessions[list->nr++] = *session;
}

static int detach_all(struct knl *nl)
{
	struct list list = { NULL, 0 };
	int code = CMD_OK, error = knl_session_each(nl, take, &list);
	struct err err;
	size_t i;

	for (i = 0; i < list.nr; i++)
		code |= detach(nl, &list.sessions[i]);
	free(list.sessions);
	if (!error)
		return code;
	err_set(&err, "The module does not list its sessions: %s.", strerror(-error));
	return cmd_fail(CMD_FAILED, &err);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { 0 };
	struct err err;
	struct knl *nl;
	int first, code = cmd_parse(command, argc, argv, &config, &first);

	if (code >= 0)
		return code;
	if ((first == argc) == !config.is_all) {
		err_set(&err, "Which sessions? ktrace ctl detach NAME..., or --all; see: ktrace ctl list.");
		return cmd_fail(CMD_USAGE, &err);
	}
	nl = knl_open(&err);
	if (!nl)
		return cmd_fail(CMD_FAILED, &err);
	code = config.is_all ? detach_all(nl) : CMD_OK;
	for (; first < argc; first++)
		code |= detach_named(nl, argv[first]);
	knl_close(nl);
	return code;
}

const struct command cmd_detach = {
	.name = "detach",
	.usage = "ctl detach NAME... | --all",
	.summary = "End sessions and remove their probes.",
	.opts = opts,
	.examples = "  ktrace ctl list\n  ktrace ctl detach --all\n  ktrace ctl detach -h\n",
	.run = run,
};
