// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl list: all sessions of the module, one line each. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/options.h"
#include "report/json.h"
#include "report/taken_out.h"
#include "session/costs.h"
#include "session/module.h"
#include "session/session.h"
#include "util/out.h"

struct config {
	const struct output_format *format;
};

static const struct opt opts[] = {
	FORMAT_OPTION(struct config, format, FORMATS_OF_STATES),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* Returns the number of functions that are no longer probed, because of the budget. */
static size_t nr_gone(struct ktr *ktr, const struct ktr_session *session)
{
	struct taken_out out;

	taken_out_read(&out, ktr, session);
	taken_out_free(&out);
	return out.nr;
}

/* Records that newer ones have replaced, as chosen, are no loss. */
static uint64_t nr_lost(const struct ktr_session *session)
{
	struct ktr_session lossy = *session;

	session_allow_overwritten(&lossy);
	return session_lost(&lossy.counters);
}

static void print(const struct ktr_session *session, size_t nr, struct ktr *ktr,
		  const struct ktrace_costs *costs)
{
	char owner[32];

	out_put(stdout, "%-18s %-9s %6s %5s %6s %10s %6s %6s %6s\n", "NAME", "STATE", "FUNCS",
		"GONE", "SITES", "HITS", "LOST", "AGE s", "CPU %");
	for (; nr; nr--, session++) {
		snprintf(owner, sizeof(owner), "(of process %d)", session->owner);
		out_put(stdout, "%-18s %-9s %6u %5zu %6u %10llu %6llu %6llu %6.2f\n",
			session->name[0] ? session->name : owner, session_state(session->state),
			session->nr_used, nr_gone(ktr, session), session->nr_sites,
			(unsigned long long)session->counters.hits,
			(unsigned long long)nr_lost(session),
			(unsigned long long)((session->now.monotonic -
					      session->start.monotonic) / 1000000000),
			costs_share(costs, NULL, session));
	}
}

/* With another interface, the figures may have another meaning. */
static void print_names(const struct ktr_session *session, size_t nr)
{
	for (; nr; nr--, session++)
		if (session->name[0])
			out_put(stdout, "%s\n", session->name);
		else
			out_put(stdout, "(of process %d)\n", session->owner);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { &format_table };
	struct ktr_session *sessions;
	int first, code, error;
	struct ktr_info info;
	size_t nr;
	struct err err;
	struct ktr *ktr;

	code = cmd_parse(command, argc, argv, &config, &first);
	if (code >= 0)
		return code;
	ktr = config.format->document ? module_open(&err) : module_open_any(&info, &err);
	if (!ktr)
		return cmd_fail(CMD_FAILED, &err);
	error = ktr_session_list(ktr, &sessions, &nr);
	if (error)
		err_set(&err, "The module's sessions cannot be listed: %s.", ktr_reason(ktr, error));
	else if (config.format->document)
		config.format->document(stdout, sessions_document(sessions, nr), false);
	else if (info.abi != KTRACE_ABI)
		print_names(sessions, nr);
	else
		print(sessions, nr, ktr, &info.costs);
	free(sessions);
	ktr_close(ktr);
	return error ? cmd_fail(CMD_FAILED, &err) : CMD_OK;
}

const struct command cmd_list = {
	.name = "list",
	.usage = "ctl list [--format json]",
	.summary = "List the sessions.",
	.opts = opts,
	.examples = "  ktrace ctl list\n  ktrace ctl list --format json\n  watch ktrace ctl list\n",
	.run = run,
};
