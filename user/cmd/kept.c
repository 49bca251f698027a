// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/kept.h"
#include "cmd/progress.h"
#include "keep/calls.h"
#include "keep/measured.h"
#include "keep/tallies.h"
#include "session/session.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/out.h"

/* --- opening -------------------------------------------------------------------- */

/* Returns the names of all sessions, which the caller frees. */
static char *folders_of(const struct recording *recording)
{
	char *text = mem_string(""), *longer;
	size_t i;

	for (i = 0; i < recording->nr && i < 16; i++) {
		longer = mem_format("%s%s%s", text, i ? ", " : "", recording->sessions[i].folder);
		free(text);
		text = longer;
	}
	return text;
}

static int choose_session(struct kept *kept, const struct kept_options *options, struct err *err)
{
	struct recording *recording = kept->recording;
	char *folders;

	if (!recording->nr)
		return err_set(err, "The recording %s has no session: the recorder was stopped before it had begun one; record again.",
			       recording->path);
	if (!options->session)
		return 0;
	kept->session = recording_find(recording, options->session);
	if (kept->session)
		return 0;
	folders = folders_of(recording);
	err_set(err, "The recording %s has no session '%s'; it has: %s.", recording->path,
		options->session, folders);
	free(folders);
	return -1;
}

static int check_window(const struct kept_options *options, struct err *err)
{
	if (options->to && options->to <= options->from)
		return err_set(err, "--to must be later than --from; both count from the begin of the recording.");
	return 0;
}

static void set_filter(struct kept *kept, const struct kept_options *options)
{
	uint64_t begin = kept->recording->begin.monotonic;

	kept->filter = (struct filter){
		.functions = options->functions, .no_functions = options->no_functions,
		.libs = options->libs, .tids = options->threads.pids,
		.nr_tids = options->threads.nr, .pids = options->pids.pids,
		.nr_pids = options->pids.nr, .comm = options->comm,
		.from = options->from ? begin + options->from : 0,
		.to = options->to ? begin + options->to : UINT64_MAX,
		.max_depth = options->max_depth, .min_time = options->min_time,
	};
}

int kept_open(struct kept *kept, const struct kept_options *options, const char *command, int argc,
	      char **argv, int first)
{
	struct err err;

	memset(kept, 0, sizeof(*kept));
	if (first != argc - 1) {
		err_set(&err, "Which recording? ktrace %s FOLDER; ktrace record -o FOLDER makes one.",
			command);
		return cmd_fail(CMD_USAGE, &err);
	}
	if (check_window(options, &err))
		return cmd_fail(CMD_USAGE, &err);
	kept->recording = recording_open(argv[first], &err);
	if (!kept->recording || choose_session(kept, options, &err))
		return cmd_fail(CMD_FAILED, &err);
	set_filter(kept, options);
	clock_set_realtime(recording_realtime, kept->recording);
	return 0;
}

void kept_close(struct kept *kept)
{
	clock_set_realtime(NULL, NULL);
	recording_free(kept->recording);
	kept->recording = NULL;
}

static bool look(void *arg, double part)
{
	(void)arg;
	progress_part("reading", part);
	return true;
}

merged_look *kept_progress(void)
{
	return look;
}

/* --- what is missing ------------------------------------------------------------ */

static bool is_read(const struct kept *kept, const struct kept_session *session)
{
	return !kept->session || kept->session == session;
}

static bool tell_losses(const struct kept_session *session)
{
	const struct ktrace_counters *counters = &session->is.counters;
	char *text = session_lost(counters) ? session_loss_text(counters) : NULL;
	size_t i;

	if (text && *text)
		out_put(stderr, "ktrace: %s is incomplete: %s.\n", session->folder, text);
	free(text);
	cmd_tell_missed(counters);
	for (i = 0; i < session->nr_lost && !session_lost(counters); i++)
		if (session->lost[i].nr)
			out_put(stderr, "ktrace: %s is incomplete: %llu lost: %s.\n", session->folder,
				(unsigned long long)session->lost[i].nr, session->lost[i].reason);
	return session_lost(counters) || session->nr_lost;
}

static bool tell_gaps(const struct kept_session *session)
{
	if (session->nr_missing)
		out_put(stderr, "ktrace: %llu records of %s are missing, in %llu places; calls there may lack callers or callees, and figures are those of a part.\n",
			(unsigned long long)session->nr_missing, session->folder,
			(unsigned long long)session->nr_gaps);
	else if (session->nr_gaps)
		out_put(stderr, "ktrace: packets of %s are missing in %llu places; calls there may lack callers or callees, and figures are those of a part.\n",
			session->folder, (unsigned long long)session->nr_gaps);
	if (session->nr_unknown)
		out_put(stderr, "ktrace: %llu records of %s are not understood; a newer ktrace may have written them, or the file is damaged.\n",
			(unsigned long long)session->nr_unknown, session->folder);
	return session->nr_gaps || session->nr_unknown;
}

/* A file that was lost, or cut between packets, leaves no gap. */
static bool tell_rest(const struct kept_session *session)
{
	uint64_t nr = session->nr_written;

	if (session->nr_records >= nr)
		return false;
	out_put(stderr, "ktrace: %llu of the %llu records of %s are not in the recording: files were lost or cut; figures are those of a part.\n",
		(unsigned long long)(nr - session->nr_records), (unsigned long long)nr,
		session->folder);
	return true;
}

static bool tell_end(const struct kept *kept, const struct kept_session *session)
{
	if (session->has_end)
		return false;
	out_put(stderr, kept->recording->is_being_written ?
		"ktrace: %s is still being recorded; all figures are those of its part so far.\n" :
		"ktrace: the recorder of %s was killed; what it had written is shown, and all figures are those of this part.\n",
		session->folder);
	return true;
}

static void tell_damage(void *arg, const struct packets *packets)
{
	const struct kept *kept = arg;

	if (packets->is_torn && kept->recording->is_being_written)
		return;
	out_put(stderr, "ktrace: %s was read up to byte %llu of %llu: %s; the rest of this CPU is missing.\n",
		packets->name, (unsigned long long)packets->at, (unsigned long long)packets->size,
		packets->damage);
}

struct damages {
	unsigned int nr;
};

static void count_damage(void *arg, const struct packets *packets)
{
	struct damages *damages = arg;

	(void)packets;
	damages->nr++;
}

int kept_tell(const struct kept *kept, const struct merged *merged)
{
	const struct recording *recording = kept->recording;
	struct damages damages = { 0 };
	bool is_part = false;
	unsigned int nr;
	size_t i;

	progress_end();
	for (i = 0; i < recording->nr; i++) {
		if (!is_read(kept, &recording->sessions[i]))
			continue;
		is_part |= tell_losses(&recording->sessions[i]);
		is_part |= tell_gaps(&recording->sessions[i]);
		is_part |= tell_rest(&recording->sessions[i]);
		is_part |= tell_end(kept, &recording->sessions[i]);
	}
	merged_each_damage(merged, tell_damage, (void *)kept);
	merged_each_damage(merged, count_damage, &damages);
	nr = damages.nr ? merged_cut(merged, recording) : 0;
	if (nr)
		out_put(stderr, "ktrace: %u file%s of %s ended in the middle of a packet, and %s cut behind the last whole one; babeltrace2 reads the recording now.\n",
			nr, nr == 1 ? "" : "s", recording->path, nr == 1 ? "was" : "were");
	if (recording->nr_bad_lines && recording_is_ended(recording))
		out_put(stderr, "ktrace: %zu lines of %s/ktrace.jsonl are not understood; names may be missing.\n",
			recording->nr_bad_lines, recording->path);
	return is_part || damages.nr ? CMD_INCOMPLETE : CMD_OK;
}

static int tell_calls(const struct measured *measured)
{
	const struct calls_remarks *remarks = calls_remarks(measured->calls);
	uint64_t nr_lost = tallies_nr_lost(measured->tallies);

	if (nr_lost)
		out_put(stderr, "ktrace: %llu figures of %s have no row or no path, because there is no room for more threads and stacks; choose a part with --from and --to, or with -p.\n",
			(unsigned long long)nr_lost, measured->session->folder);
	if (remarks->nr_orphans)
		out_put(stderr, "ktrace: the callers of %llu calls of %s were not recorded; these calls stand below " CALLS_NO_CALLER_NAME ".\n",
			(unsigned long long)remarks->nr_orphans, measured->session->folder);
	if (remarks->nr_full)
		out_put(stderr, "ktrace: %llu calls of %s are on paths for which there was no room, and stand in the node \"tree full\"; choose functions with -f, or a part with --from and --to.\n",
			(unsigned long long)remarks->nr_full, measured->session->folder);
	return nr_lost || remarks->nr_orphans || remarks->nr_full ? CMD_INCOMPLETE : CMD_OK;
}

int kept_tell_calls(const struct kept *kept, const struct measuring *measuring)
{
	int code = CMD_OK;
	size_t i;

	for (i = 0; i < kept->recording->nr; i++)
		if (measuring->all[i])
			code |= tell_calls(measuring->all[i]);
	return code;
}

void kept_tell_choice(const struct kept *kept, const struct measuring *measuring)
{
	const struct recording *recording = kept->recording;
	bool has_records = false;
	size_t i;

	for (i = 0; i < recording->nr; i++) {
		if (!is_read(kept, &recording->sessions[i]) || !measuring->all[i])
			continue;
		if (!measured_is_empty(measuring->all[i]))
			return;
		has_records |= recording->sessions[i].nr_records;
	}
	if (has_records)
		out_put(stderr, "ktrace: no event of %s is chosen; choose more with -f, -l, -p, --thread, --comm, --from or --to, or omit them.\n",
			recording->path);
}
