// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "keep/folders.h"
#include "keep/former.h"
#include "keep/recorder.h"
#include "util/clock.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/own_folder.h"

#define TURN 256	/* packets of a session, until the next one has its turn */
#define CLOCK_IS_SET 1000000LL		/* ns */
#define CLOCK_NS (60 * CLOCK_SECOND)	/* between two lines about the clocks */

struct recorder {
	struct ktr *ktr;
	struct recorder_options options;
	char *path;
	int folder;
	bool is_new;		/* the folder was created */
	bool has_former;	/* it has another recording, which is replaced */
	struct facts_file facts;
	char boot[64];
	struct ktrace_clocks begin;
	struct recorded_session **kept;
	size_t nr;
	uint64_t next_sync, next_clock;		/* ns, CLOCK_MONOTONIC */
	int64_t offset;		/* ns: CLOCK_REALTIME - CLOCK_MONOTONIC, as it is written */
	bool is_failed;		/* nothing more is written, but how it ended */
};

/* --- failures ------------------------------------------------------------------ */

static int fail_to_write(struct recorder *recorder, const char *name, int error, struct err *err)
{
	recorder->is_failed = true;
	return err_set(err, "Writing to %s/%s failed: %s; the recording ends there, and what is there reads to its last whole packet.",
		       recorder->path, name, strerror(-error));
}

static int fail_to_read(struct recorder *recorder, int error, struct err *err)
{
	recorder->is_failed = true;
	return err_set(err, "The records cannot be read from the module: %s.",
		       ktr_reason(recorder->ktr, error));
}

/* --- begin --------------------------------------------------------------------- */

static int check_folder(struct recorder *recorder, struct err *err)
{
	if (own_folder_is_empty(recorder->folder))
		return 0;
	recorder->has_former = former_is_there(recorder->folder);
	if (!recorder->has_former)
		return own_folder_refuse(recorder->path, err);
	if (former_check(recorder->folder, recorder->path, err))
		return -1;
	return recorder->options.is_forced ? 0 :
	       err_set(err, "%s has a recording already; replace it with --force, or name a new folder.",
		       recorder->path);
}

struct recorder *recorder_open(struct ktr *ktr, const struct recorder_options *options,
			       struct err *err)
{
	struct recorder *recorder = mem_alloc(sizeof(*recorder));

	recorder->ktr = ktr;
	recorder->options = *options;
	recorder->facts.fd = -1;
	recorder->path = own_folder_path(options->path);
	recorder->folder = own_folder_open(recorder->path, &recorder->is_new, err);
	if (recorder->folder >= 0 && !check_folder(recorder, err))
		return recorder;
	recorder_close(recorder);
	return NULL;
}

static struct ktrace_clocks clocks_now(void)
{
	uint64_t now = clock_now_ns();

	return (struct ktrace_clocks){ .monotonic = now, .realtime = clock_realtime_of(now) };
}

static void put_clock(struct recorder *recorder, const struct ktrace_clocks *clocks)
{
	recorder->offset = clocks->realtime - clocks->monotonic;
	recorder->next_clock = clocks->monotonic + CLOCK_NS;
	facts_file_put(&recorder->facts, document_clock(clocks));
}

int recorder_begin(struct recorder *recorder, struct document_subject *subject, struct err *err)
{
	int error = recorder->has_former ? former_remove(recorder->folder) : 0;
	struct ktrace_clocks now;

	if (error)
		return err_set(err, "The former recording in %s cannot be removed: %s.",
			       recorder->path, strerror(-error));
	error = facts_file_create(&recorder->facts, recorder->folder);
	if (error)
		return fail_to_write(recorder, FACTS_NAME, error, err);
	line_read(recorder->boot, sizeof(recorder->boot), "/proc/sys/kernel/random/boot_id");
	recorder->begin = recorder->options.begin.monotonic ? recorder->options.begin :
			  clocks_now();
	now = clocks_now();
	subject->boot = recorder->boot;
	subject->begin = recorder->begin;
	facts_file_put(&recorder->facts, document_recording(subject));
	put_clock(recorder, &now);
	error = facts_file_write(&recorder->facts, false);
	return error ? fail_to_write(recorder, FACTS_NAME, error, err) : 0;
}

/* "syscalls", "syscalls-2" */
static void choose_name(const struct recorder *recorder, struct recorded_session *kept)
{
	unsigned int nr = 1;
	size_t i;

	for (i = 0; i < recorder->nr; i++)
		nr += recorder->kept[i]->session.provider == kept->session.provider;
	snprintf(kept->name, sizeof(kept->name), nr > 1 ? "%s-%u" : "%s",
		 folder_of_provider(kept->session.provider), nr);
}

int recorder_add(struct recorder *recorder, const struct ktr_session *session,
		 const struct recorded_source *source, struct err *err)
{
	struct recorded_session *kept = mem_alloc(sizeof(*kept));
	const char *what;
	int error;

	kept->ktr = recorder->ktr;
	kept->session = *session;
	kept->source = *source;
	kept->index = recorder->nr;
	kept->clocks = recorder->begin;
	kept->boot = recorder->boot;
	kept->leaves_packets = recorder->options.leaves_packets;
	choose_name(recorder, kept);
	recorder->kept = mem_grow(recorder->kept, recorder->nr, sizeof(*recorder->kept));
	recorder->kept[recorder->nr++] = kept;
	error = recorded_session_open(kept, recorder->folder, &what);
	if (error)
		return what ? fail_to_write(recorder, what, error, err) :
		       fail_to_read(recorder, error, err);
	facts_file_put(&recorder->facts, document_session(kept->index, session, kept->name,
						     source->command));
	error = facts_file_write(&recorder->facts, false);
	/* A file system without anything to synchronize fails with EINVAL. */
	if (!error && fsync(recorder->folder) && errno != EINVAL)
		error = -errno;
	return error ? fail_to_write(recorder, FACTS_NAME, error, err) : 0;
}

void recorder_take_packets(struct recorder *recorder)
{
	recorder->kept[recorder->nr - 1]->leaves_packets = false;
}

void recorder_put_trigger(struct recorder *recorder, const struct ktrace_triggered *seen,
			  const char *condition, const char *name)
{
	facts_file_put(&recorder->facts, document_trigger(recorder->nr - 1, seen, condition, name));
}

void recorder_name_task(struct recorder *recorder, pid_t pid, const char *comm)
{
	facts_file_put(&recorder->facts, document_task(pid, comm));
}

void recorder_abandon(struct recorder *recorder)
{
	if (recorder->facts.fd >= 0)
		former_remove(recorder->folder);
	if (recorder->is_new)
		rmdir(recorder->path);
}

void recorder_close(struct recorder *recorder)
{
	size_t i;

	if (!recorder)
		return;
	for (i = 0; i < recorder->nr; i++) {
		recorded_session_close(recorder->kept[i]);
		free(recorder->kept[i]);
	}
	facts_file_close(&recorder->facts);
	if (recorder->folder >= 0)
		close(recorder->folder);
	free(recorder->kept);
	free(recorder->path);
	free(recorder);
}

/* --- passes -------------------------------------------------------------------- */

static int write_facts(struct recorder *recorder, struct err *err)
{
	int error = facts_file_write(&recorder->facts, false);

	return error ? fail_to_write(recorder, FACTS_NAME, error, err) : 0;
}

/* Returns the number of packets, or -1 with err set. */
static int pass_session(struct recorder *recorder, struct recorded_session *kept, int most,
			bool does_flush, struct err *err)
{
	bool is_unwritten = false;
	int error = recorded_session_look(kept, &recorder->facts), nr = 0;

	if (!error)
		nr = error = recorded_session_pass(kept, &recorder->facts, most, does_flush,
						   &is_unwritten);
	if (error < 0)
		return is_unwritten ? fail_to_write(recorder, kept->name, error, err) :
		       fail_to_read(recorder, error, err);
	return write_facts(recorder, err) ? -1 : nr;
}

/* Writes down that CLOCK_REALTIME was set, and that it goes on, now and then. */
static void look_at_clock(struct recorder *recorder)
{
	struct ktrace_clocks now = clocks_now();
	int64_t step = (int64_t)(now.realtime - now.monotonic) - recorder->offset;

	if (step > CLOCK_IS_SET || step < -CLOCK_IS_SET || now.monotonic >= recorder->next_clock)
		put_clock(recorder, &now);
}

/* Everything that was written before reaches the disk. */
static int sync_all(struct recorder *recorder, struct err *err)
{
	struct recorded_session *kept;
	int error;
	size_t i;

	error = facts_file_sync(&recorder->facts);
	if (error)
		return fail_to_write(recorder, FACTS_NAME, error, err);
	for (i = 0; i < recorder->nr; i++) {
		kept = recorder->kept[i];
		error = recorded_session_describe(kept);
		if (!error)
			error = packet_files_sync(&kept->packets);
		if (error)
			return fail_to_write(recorder, kept->name, error, err);
	}
	return 0;
}

int recorder_pass(struct recorder *recorder, size_t *nr_left, bool *has_more, struct err *err)
{
	int turn = recorder->options.turn ? recorder->options.turn : TURN;
	bool is_due = clock_now_ns() >= recorder->next_sync;
	size_t i;
	int nr;

	*nr_left = 0;
	*has_more = false;
	if (is_due)
		look_at_clock(recorder);
	for (i = 0; i < recorder->nr; i++) {
		nr = pass_session(recorder, recorder->kept[i], turn, is_due, err);
		if (nr < 0)
			return -1;
		*has_more |= nr > 0;
		*nr_left += !recorder->kept[i]->is_over;
	}
	if (!is_due)
		return 0;
	recorder->next_sync = clock_now_ns() + recorder->options.sync_ns;
	return sync_all(recorder, err);
}

/* --- end ----------------------------------------------------------------------- */

/* Returns the time before which all records were read. */
static uint64_t clock_of(const struct recorded_session *kept)
{
	unsigned int cpu, nr = ktr_stream_nr_cpus(kept->stream);
	uint64_t least = UINT64_MAX;
	struct ktr_stream_cpu state;

	for (cpu = 0; cpu < nr; cpu++) {
		ktr_stream_cpu(kept->stream, cpu, &state);
		least = state.clock < least ? state.clock : least;
	}
	return least;
}

static int finish_session(struct recorder *recorder, struct recorded_session *kept, uint64_t until,
			  struct err *err)
{
	int error;

	do {
		if (pass_session(recorder, kept, INT_MAX, true, err) < 0)
			return -1;
	} while (!kept->is_over && clock_of(kept) < until);
	ktr_stream_sync(kept->stream);
	error = recorded_session_look(kept, &recorder->facts);
	return error ? fail_to_read(recorder, error, err) : write_facts(recorder, err);
}

static int read_rest(struct recorder *recorder, struct err *err)
{
	uint64_t until = clock_now_ns();
	size_t i;

	for (i = 0; i < recorder->nr; i++)
		if (finish_session(recorder, recorder->kept[i], until, err))
			return -1;
	return sync_all(recorder, err);
}

static void put_ends(struct recorder *recorder, const char *why)
{
	struct ktr_session now;
	struct recorded_session *kept;
	size_t i;

	for (i = 0; i < recorder->nr; i++) {
		kept = recorder->kept[i];
		if (!ktr_session_get(recorder->ktr, kept->session.id, &now))
			kept->session = now;
		facts_file_put(&recorder->facts, document_end(i, &kept->session,
							      kept->nr_records, why));
	}
}

/* A folder that was moved or removed meanwhile was written all the same. */
static int check_place(const struct recorder *recorder, struct err *err)
{
	char *path = mem_format("%s/" FACTS_NAME, recorder->path);
	struct stat there, ours;
	bool is_same = !stat(path, &there) && !fstat(recorder->facts.fd, &ours) &&
		       there.st_ino == ours.st_ino && there.st_dev == ours.st_dev;

	free(path);
	return is_same ? 0 :
	       err_set(err, "%s was moved or removed while the recording was written, so what was recorded is not there; look where it was moved to, or record again.",
		       recorder->path);
}

int recorder_finish(struct recorder *recorder, const char *why, struct err *err)
{
	int result = recorder->is_failed ? 0 : read_rest(recorder, err), error;

	/* Names that have no room must not take that of the ends. */
	if (recorder->is_failed)
		facts_file_write(&recorder->facts, false);
	put_ends(recorder, recorder->is_failed ? "the recording could not be written" : why);
	error = facts_file_write(&recorder->facts, true);
	if (!error)
		error = facts_file_sync(&recorder->facts);
	if (error && !recorder->is_failed)
		result = fail_to_write(recorder, FACTS_NAME, error, err);
	return result || recorder->is_failed ? result : check_place(recorder, err);
}

/* What was written is acknowledged, or the next recorder would get it again. */
int recorder_cut(struct recorder *recorder, const char *why, struct err *err)
{
	int error = 0;
	size_t i;

	for (i = 0; i < recorder->nr; i++) {
		error = ktr_stream_sync(recorder->kept[i]->stream);
		if (error && error != -ENOENT)
			return fail_to_read(recorder, error, err);
	}
	put_ends(recorder, why);
	error = facts_file_write(&recorder->facts, true);
	return error ? fail_to_write(recorder, FACTS_NAME, error, err) : sync_all(recorder, err);
}

struct recorder_sum recorder_sum(const struct recorder *recorder)
{
	struct recorder_sum sum = { .ns = clock_now_ns() - recorder->begin.monotonic };
	size_t i;

	for (i = 0; i < recorder->nr; i++) {
		sum.records += recorder->kept[i]->nr_records;
		sum.bytes += recorder->kept[i]->nr_bytes;
	}
	return sum;
}
