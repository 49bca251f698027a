// SPDX-License-Identifier: GPL-2.0
/* ktrace stream: the records of sessions, to collectors. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "cmd/options.h"
#include "session/module.h"
#include "session/sidecar.h"
#include "stream/meaning.h"
#include "stream/rights.h"
#include "stream/streamer.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

struct config {
	struct opt_words to;
	struct link_limits limits;
	int has_entries;
};

static const struct opt opts[] = {
	SINK_OPTIONS(struct config, to, limits,
		     "pass records on to SINK; may be given several times (json)"),
	{ 0, "entries", NULL, OPT_FLAG, offsetof(struct config, has_entries),
	  "also the begins of calls; their ends say the same, and how long they took", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct stream_run {
	const struct config *config;
	struct streamer streamer;
	struct meaning *meanings;	/* of the sessions */
	size_t nr;
};

/* Functions of programs have their build-id and offset at least. */
static void tell_unnamed(const struct ktr_session *session)
{
	struct sidecar *sidecar = sidecar_open(session->name, session->cookie);

	if (!sidecar && session->provider == KTRACE_PROVIDER_KERNEL)
		out_put(stderr, "ktrace: the names of session %s are not known here (/run/ktrace/%s is missing, belongs to another session, or cannot be read); functions are shown as [unknown].\n",
			session->name, session->name);
	sidecar_close(sidecar);
}

static int add_session(struct stream_run *run, const char *name, struct err *err)
{
	struct ktr_session session;
	struct feed_options options = { .has_entries = run->config->has_entries };

	if (named_find(run->streamer.ktr, name, &session, err))
		return -1;
	tell_unnamed(&session);
	options.names = meaning_names(&run->meanings[run->nr++], run->streamer.ktr);
	return streamer_add(&run->streamer, &session, &options, err);
}

static int check_names(char **names, size_t nr, struct err *err)
{
	size_t i, k;

	for (i = 0; i < nr; i++)
		for (k = 0; k < i; k++)
			if (!strcmp(names[i], names[k]))
				return err_set(err, "The session %s is named twice.", names[i]);
	return 0;
}

static int add_sessions(struct stream_run *run, char **names, size_t nr, struct err *err)
{
	size_t i;

	for (i = 0; i < nr; i++) {
		if (add_session(run, names[i], err))
			return -1;
	}
	return 0;
}

/* Ends with the last session, with the last sink that takes records, or with Ctrl-C. */
static int deliver(struct stream_run *run, struct err *err)
{
	struct streamer *streamer = &run->streamer;
	int news = streamer_fd(streamer);
	size_t nr_left = 1;
	bool has_more;

	while (nr_left && !signals_nr_ends && !streamer_is_over(streamer)) {
		if (streamer_pass(streamer, &nr_left, &has_more, err))
			return -1;
		if (nr_left)
			signals_wait(news, has_more ? 1 : 100);
		ktr_notices_drain(streamer->ktr);
	}
	return streamer_finish(streamer, STREAMER_STOP_MS, err);
}

static int tell_end(const struct stream_run *run)
{
	const struct streamer *streamer = &run->streamer;
	int code = CMD_OK, one;
	size_t i;

	for (i = 0; i < streamer->nr_feeds; i++) {
		one = cmd_tell_losses(&feed_session(streamer->feeds[i])->counters);
		code = one == CMD_OK ? code : one;
	}
	if (!streamer_tell_losses(stderr, streamer))
		code = CMD_INCOMPLETE;
	return streamer_is_over(streamer) ? CMD_FAILED : code;
}

static int stream(struct stream_run *run, char **names, size_t nr)
{
	const struct config *config = run->config;
	struct err err;

	if (check_names(names, nr, &err) ||
	    streamer_open(&run->streamer, config->to.words, config->to.nr, &config->limits, stderr,
			  &err))
		return cmd_fail(CMD_USAGE, &err);
	run->streamer.ktr = module_open(&err);
	if (!run->streamer.ktr)
		return cmd_fail(CMD_FAILED, &err);
	signals_init();
	run->meanings = mem_alloc(nr * sizeof(*run->meanings));
	if (add_sessions(run, names, nr, &err))
		return cmd_fail(CMD_FAILED, &err);
	streamer_tell_promises(stderr, &run->streamer);
	if (rights_confine_reader()) {
		err_set(&err, "The system calls of this process cannot be limited: %s.",
			strerror(errno));
		return cmd_fail(CMD_FAILED, &err);
	}
	if (deliver(run, &err))
		return cmd_fail(CMD_FAILED, &err);
	return tell_end(run);
}

static void end(struct stream_run *run)
{
	struct ktr *ktr = run->streamer.ktr;
	size_t i;

	streamer_close(&run->streamer);
	for (i = 0; i < run->nr; i++)
		meaning_free(&run->meanings[i]);
	free(run->meanings);
	ktr_close(ktr);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { .to = { .nr = 0 } };
	struct stream_run run = { .config = &config };
	int first, code;
	struct err err;

	code = cmd_parse(command, argc, argv, &config, &first);
	if (code >= 0)
		return code;
	if (first == argc) {
		err_set(&err, "Which session? ktrace stream NAME... --to SINK; see: ktrace ctl list.");
		return cmd_fail(CMD_USAGE, &err);
	}
	if (!config.to.nr)
		opt_add_word(&config.to, "json");
	code = stream(&run, argv + first, argc - first);
	end(&run);
	free(config.to.words);
	return code;
}

const struct command cmd_stream = {
	.name = "stream",
	.usage = "stream NAME... [--to SINK]... [options]",
	.summary = "Pass the records of sessions on to log collectors, until Ctrl-C.",
	.opts = opts,
	.details = sink_print_help,
	.examples = "  ktrace ctl list\n"
		    "  ktrace stream \"$(ktrace ctl list | awk 'NR == 2 { print $1 }')\"\n"
		    "  ktrace stream -h\n",
	.run = run,
};
