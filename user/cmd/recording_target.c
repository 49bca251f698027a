// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>

#include "cmd/recording.h"
#include "cmd/recording_target.h"
#include "util/fmt.h"
#include "util/lines.h"
#include "util/out.h"

/* --- life ------------------------------------------------------------------------- */

static int open_rotation(struct recording_target *target, struct err *err)
{
	target->rotation.options = target->options->rotation;
	target->rotation.recorder = target->options->recorder;
	return rotation_open(&target->rotation, err);
}

static int open_flight(struct recording_target *target, struct err *err)
{
	struct flight_options options = {
		.recorder = target->options->recorder, .trigger = target->options->trigger,
		.holdoff = target->options->holdoff, .count = target->options->count,
	};

	target->flight = flight_open(target->ktr, &options, err);
	return target->flight ? 0 : -1;
}

static int open_recorder(struct recording_target *target, struct err *err)
{
	target->recorder = recorder_open(target->ktr, &target->options->recorder, err);
	return target->recorder ? 0 : -1;
}

int recording_target_open(struct recording_target *target, struct ktr *ktr,
			  const struct recording_options *options, const struct runs *runs,
			  struct err *err)
{
	*target = (struct recording_target){
		.ktr = ktr, .options = options, .runs = runs, .wait_ms = 1,
	};
	if (runs)
		return 0;
	if (options->rotation.size)
		return open_rotation(target, err);
	if (options->is_flight)
		return open_flight(target, err);
	return open_recorder(target, err);
}

void recording_target_abandon(struct recording_target *target)
{
	if (target->flight)
		flight_abandon(target->flight);
	else if (target->recorder)
		recorder_abandon(target->recorder);
	if (target->options->rotation.size)
		rotation_abandon(&target->rotation);
}

void recording_target_close(struct recording_target *target)
{
	flight_close(target->flight);
	recorder_close(target->recorder);
	rotation_close(&target->rotation);
}

/* --- begin ------------------------------------------------------------------------ */

static void name_task(struct recording_target *target, pid_t pid, const char *comm)
{
	if (target->flight)
		flight_name_task(target->flight, pid, comm);
	else
		recorder_name_task(target->recorder, pid, comm);
}

static void name_tasks(struct recording_target *target)
{
	const struct recording_content *content = target->content;
	const struct document_subject *subject = &content->subject;
	char comm[17];
	size_t i;

	if (content->comm) {
		name_task(target, subject->pids[0], content->comm);
		return;
	}
	for (i = 0; i < subject->nr_pids; i++)
		if (line_read(comm, sizeof(comm), "/proc/%d/comm", (int)subject->pids[i]))
			name_task(target, subject->pids[i], comm);
}

static int begin_flight(struct recording_target *target, struct err *err)
{
	const struct recording_content *content = target->content;
	size_t i;

	if (flight_begin(target->flight, &content->subject, err))
		return -1;
	name_tasks(target);
	for (i = 0; i < content->nr; i++)
		flight_add(target->flight, &content->sessions[i].session,
			   &content->sessions[i].source, i == content->triggered);
	return 0;
}

/* A session that another command has deleted is in no further part. */
static int add_session(struct recording_target *target, const struct recorded *recorded,
		       struct err *err)
{
	struct ktr_session now;

	if (ktr_session_get(target->ktr, recorded->session.id, &now) == -ENOENT)
		return 0;
	return recorder_add(target->recorder, &recorded->session, &recorded->source, err);
}

static int fill_recorder(struct recording_target *target, struct err *err)
{
	struct document_subject subject = target->content->subject;
	size_t i;

	if (recorder_begin(target->recorder, &subject, err))
		return -1;
	name_tasks(target);
	for (i = 0; i < target->content->nr; i++)
		if (add_session(target, &target->content->sessions[i], err))
			return -1;
	return 0;
}

/* Begins a part of the recording. */
static int begin_part(struct recording_target *target, struct err *err)
{
	target->recorder = rotation_next(&target->rotation, target->ktr, err);
	return target->recorder ? fill_recorder(target, err) : -1;
}

static int begin_run(struct recording_target *target, struct err *err)
{
	target->recorder = runs_begin(target->runs, target->ktr, &target->options->recorder, err);
	return target->recorder ? fill_recorder(target, err) : -1;
}

int recording_target_begin(struct recording_target *target, const struct recording_content *content,
			   struct err *err)
{
	/* A write beyond the limit of a file's size shall fail. The program keeps its own action. */
	signal(SIGXFSZ, SIG_IGN);
	target->content = content;
	if (target->runs)
		return begin_run(target, err);
	if (target->flight)
		return begin_flight(target, err);
	if (target->options->rotation.size)
		return rotation_begin(&target->rotation, err) ? -1 : begin_part(target, err);
	return fill_recorder(target, err);
}

/* --- while it records --------------------------------------------------------------- */

static void tell_failure(struct recording_target *target, const struct err *err)
{
	out_put(stderr, "ktrace: %s\n", err->text);
	target->is_failed = true;
}

/* Goes on in the next part if this one is full. */
static int rotate(struct recording_target *target, struct err *err)
{
	struct recorder *recorder = target->recorder;

	if (!rotation_is_due(&target->rotation, recorder))
		return 0;
	target->recorder = NULL;
	return rotation_cut(&target->rotation, recorder, err) ? -1 : begin_part(target, err);
}

/* Waits grow while no packets are full. */
static long next_wait(bool has_more, long ms)
{
	return has_more ? 0 : !ms ? 1 : ms < 64 ? ms * 2 : 100;
}

static int look(struct recording_target *target, const char **why, struct err *err)
{
	bool has_more;
	size_t nr_left;

	*why = NULL;
	if (target->flight)
		return flight_look(target->flight, why, err);
	if (recorder_pass(target->recorder, &nr_left, &has_more, err) || rotate(target, err))
		return -1;
	if (!nr_left)
		*why = "another command ended the sessions";
	target->wait_ms = next_wait(has_more, target->wait_ms);
	return 0;
}

const char *recording_target_look(struct recording_target *target)
{
	const char *why;
	struct err err;

	if (!look(target, &why, &err))
		return why;
	tell_failure(target, &err);
	return "";
}

long recording_target_wait_ms(const struct recording_target *target)
{
	return target->flight ? flight_wait_ms(target->flight) : target->wait_ms;
}

/* --- end -------------------------------------------------------------------------- */

/* After a failed write, only how it ended. */
static int save_rest(struct recording_target *target, const char *why, struct err *err)
{
	if (target->recorder)
		return recorder_finish(target->recorder, why, err);
	return target->flight && !target->is_failed ? flight_finish(target->flight, why, err) : 0;
}

int recording_target_finish(struct recording_target *target, const char *why)
{
	struct err err;

	if (save_rest(target, why, &err) && !target->is_failed)
		tell_failure(target, &err);
	return target->is_failed ? -1 : 0;
}

void recording_target_tell_sum(const struct recording_target *target)
{
	struct recorder_sum sum;
	char bytes[FMT_LEN];

	if (target->runs) {
		runs_tell_sum(target->runs, target->recorder);
		return;
	}
	if (target->flight) {
		flight_tell_sum(target->flight);
		return;
	}
	if (target->options->rotation.size) {
		rotation_tell_sum(&target->rotation, target->recorder);
		return;
	}
	sum = recorder_sum(target->recorder);
	out_put(stderr, "ktrace: %llu records, %s, in %.1f s; next: ktrace report %s\n",
		(unsigned long long)sum.records, fmt_bytes(bytes, sum.bytes), sum.ns / 1e9,
		target->options->recorder.path);
}
