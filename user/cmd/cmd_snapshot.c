// SPDX-License-Identifier: GPL-2.0
/* ktrace snapshot: saves the records that a named session has now, and leaves them there. */
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "cmd/options.h"
#include "keep/recorder.h"
#include "session/module.h"
#include "session/sidecar.h"
#include "stream/meaning.h"
#include "util/clock.h"
#include "util/fmt.h"
#include "util/out.h"

struct config {
	const char *folder;
	int is_forced;
};

static const struct opt opts[] = {
	{ 'o', "output", "DIR", OPT_STRING, offsetof(struct config, folder),
	  "write into this folder: a new one, or an empty one", NULL },
	{ 0, "force", NULL, OPT_FLAG, offsetof(struct config, is_forced),
	  "replace a recording that is in DIR", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct snapshot {
	struct ktr *ktr;
	const char *folder;
	struct ktr_session session;
	struct sidecar *sidecar;	/* or NULL */
	struct origin origin;
	struct meaning meaning;
	struct feed_names names;
	char **words;			/* of this command */
};

/* --- what the numbers mean ----------------------------------------------------------- */

static int look(void *arg)
{
	struct snapshot *snapshot = arg;

	return snapshot->names.look(snapshot->names.arg, &snapshot->session);
}

/* Without a sidecar, it is not known how the session was begun. */
static struct recorded_source source_of(struct snapshot *snapshot)
{
	static char *nothing[] = { NULL };
	struct recorded_source source = {
		.look = look, .arg = snapshot, .command = nothing,
	};
	uint32_t provider = snapshot->session.provider;

	snapshot->names = meaning_names(&snapshot->meaning, snapshot->ktr);
	if (provider == KTRACE_PROVIDER_USER || provider == KTRACE_PROVIDER_KERNEL)
		source.names = &snapshot->meaning.names;
	if (snapshot->session.sinks & KTRACE_SINK_STACKS)
		source.stacks = &snapshot->meaning.stacks;
	if (snapshot->origin.words)
		source.command = (char *const *)snapshot->origin.words;
	return source;
}

/* --- writing ------------------------------------------------------------------------- */

static int write_recording(struct snapshot *snapshot, struct recorder *recorder, struct err *err)
{
	struct document_subject subject = { .command = snapshot->words };
	struct recorded_source source = source_of(snapshot);
	int error = look(snapshot);

	if (error)
		return err_set(err, "The names of the session '%s' cannot be read from the module: %s.",
			       snapshot->session.name, ktr_reason(snapshot->ktr, error));
	if (recorder_begin(recorder, &subject, err) ||
	    recorder_add(recorder, &snapshot->session, &source, err))
		return -1;
	return recorder_finish(recorder, "a snapshot was taken, and the session went on", err);
}

static int save(struct snapshot *snapshot, const struct config *config, struct err *err)
{
	struct recorder_options options = {
		.path = config->folder, .is_forced = config->is_forced, .sync_ns = CLOCK_SECOND,
		.leaves_packets = true, .begin = snapshot->session.start,
	};
	struct recorder *recorder = recorder_open(snapshot->ktr, &options, err);
	struct recorder_sum sum;
	char bytes[FMT_LEN];
	int result;

	if (!recorder)
		return -1;
	result = write_recording(snapshot, recorder, err);
	if (!result) {
		sum = recorder_sum(recorder);
		out_put(stderr, "ktrace: %llu records, %s; next: ktrace report %s\n",
			(unsigned long long)sum.records, fmt_bytes(bytes, sum.bytes),
			config->folder);
	}
	recorder_close(recorder);
	return result;
}

/* --- the command ---------------------------------------------------------------------- */

static int check(const struct ktr_session *session, struct err *err)
{
	if (!(session->sinks & KTRACE_SINK_STREAM))
		return err_set(err, "The session '%s' has figures only, and no records to save; begin it with --stream (ktrace ctl attach), or with --slow TIME --attach.",
			       session->name);
	if (session->reader)
		return err_set(err, "Process %d reads the records of '%s', and a session has one reader: end it (ktrace stream or ktrace serve) for the moment of the snapshot.",
			       session->reader, session->name);
	return 0;
}

static int take(struct snapshot *snapshot, const struct config *config, const char *name,
		struct err *err)
{
	int result;

	if (named_find(snapshot->ktr, name, &snapshot->session, err) ||
	    check(&snapshot->session, err))
		return -1;
	snapshot->sidecar = sidecar_open(name, snapshot->session.cookie);
	if (snapshot->sidecar)
		sidecar_origin(snapshot->sidecar, &snapshot->origin);
	result = save(snapshot, config, err);
	meaning_free(&snapshot->meaning);
	if (snapshot->sidecar) {
		origin_free(&snapshot->origin);
		sidecar_close(snapshot->sidecar);
	}
	return result;
}

static int check_usage(const struct config *config, int nr_names, struct err *err)
{
	if (nr_names != 1)
		return err_set(err, "Which session? ktrace snapshot NAME -o DIR; see: ktrace ctl list.");
	return config->folder ? 0 :
	       err_set(err, "Into which folder? ktrace snapshot NAME -o DIR.");
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config = { .folder = NULL };
	struct snapshot snapshot = { .words = argv };
	int first, code, error;
	struct err err;

	code = cmd_parse(command, argc, argv, &config, &first);
	if (code >= 0)
		return code;
	if (check_usage(&config, argc - first, &err))
		return cmd_fail(CMD_USAGE, &err);
	snapshot.ktr = module_open(&err);
	if (!snapshot.ktr)
		return cmd_fail(CMD_FAILED, &err);
	error = take(&snapshot, &config, argv[first], &err);
	ktr_close(snapshot.ktr);
	return error ? cmd_fail(CMD_FAILED, &err) : CMD_OK;
}

const struct command cmd_snapshot = {
	.name = "snapshot",
	.usage = "snapshot NAME -o DIR [--force]",
	.summary = "Save the records that a session has now, and let it go on.",
	.note = "The session was begun with records: ktrace ctl attach --stream, or --slow TIME\n"
		"with --attach NAME. Its records stay where they are, so ktrace stream still\n"
		"gets them.",
	.opts = opts,
	.examples = "  ktrace syscall --slow 1ms --attach calls --overwrite\n"
		    "  ktrace snapshot calls -o calls-1\n"
		    "  ktrace report calls-1\n",
	.run = run,
};
