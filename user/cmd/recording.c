// SPDX-License-Identifier: GPL-2.0
/* Sessions of several commands, recorded together. */
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/left.h"
#include "cmd/recording.h"
#include "session/module.h"
#include "session/session.h"
#include "session/wait.h"
#include "system/procs.h"
#include "util/clock.h"
#include "util/fmt.h"
#include "util/lines.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

static struct recording {
	struct recording_options options;
	struct recording_part *parts;
	size_t nr;
	struct recording_whom whom;	/* of all parts */
	struct recording_shared shared;
	struct program program;
	struct recorded {
		struct ktr_session session;
		struct recorded_source source;
		bool has_gate;
	} *sessions;
	size_t nr_sessions;
	size_t nr_filled;	/* sessions that recording_fill() was called for */
	size_t triggered;	/* the session with the trigger; SIZE_MAX: none */
	const struct recording_part *attaching;
	struct rotation rotation;	/* with --rotate */
	struct left left;
	uint64_t end;		/* ns, CLOCK_MONOTONIC */
	bool is_unwritten;
} *recording;		/* NULL: no command is a part */

bool recording_is_on(void)
{
	return recording;
}

char *const *recording_words(void)
{
	return recording->options.words_of(recording->options.arg,
					   recording->attaching - recording->parts);
}

/* --- begin ---------------------------------------------------------------------- */

void recording_fill(struct session_options *options)
{
	if (recording->options.is_flight)
		options->flags |= KTRACE_F_OVERWRITE;
	if (recording->nr_filled++ == recording->triggered)
		options->trigger = &recording->options.trigger->wanted;
}

void recording_attached(const struct ktr_session *session, const struct recorded_source *source,
			bool has_gate)
{
	struct recorded *recorded;

	recording->sessions = mem_grow(recording->sessions, recording->nr_sessions,
				       sizeof(*recording->sessions));
	recorded = &recording->sessions[recording->nr_sessions++];
	recorded->session = *session;
	recorded->source = *source;
	recorded->has_gate = has_gate;
}

/* Sessions with a gate begin at the same moment, and end at the same moment. */
static int set_gates(bool is_open)
{
	uint64_t *ids = mem_alloc((recording->nr_sessions + 1) * sizeof(*ids));
	size_t i, nr = 0;
	int error;

	for (i = 0; i < recording->nr_sessions; i++)
		if (recording->sessions[i].has_gate)
			ids[nr++] = recording->sessions[i].session.id;
	error = nr ? ktr_sessions_gate(recording->shared.ktr, ids, nr, is_open) : 0;
	free(ids);
	return error;
}

static void name_task(pid_t pid, const char *comm)
{
	if (recording->shared.flight)
		flight_name_task(recording->shared.flight, pid, comm);
	else
		recorder_name_task(recording->shared.recorder, pid, comm);
}

static void name_tasks(void)
{
	struct recording_shared *shared = &recording->shared;
	const char *path = recording->program.launch.path, *slash;
	char comm[17];
	size_t i;

	for (i = 0; !shared->program && i < shared->nr_pids; i++)
		if (line_read(comm, sizeof(comm), "/proc/%d/comm", (int)shared->pids[i]))
			name_task(shared->pids[i], comm);
	if (!shared->program)
		return;
	slash = strrchr(path, '/');
	snprintf(comm, sizeof(comm), "%.15s", slash ? slash + 1 : path);
	name_task(shared->pids[0], comm);
}

static int attach_parts(struct err *err)
{
	size_t i;

	for (i = 0; i < recording->nr; i++) {
		recording->attaching = &recording->parts[i];
		if (recording->parts[i].attach(recording->parts[i].arg, &recording->shared, err))
			return -1;
	}
	return 0;
}

static int begin_flight(const struct document_subject *subject, struct err *err)
{
	struct flight *flight = recording->shared.flight;
	size_t i;

	if (flight_begin(flight, subject, err))
		return -1;
	name_tasks();
	for (i = 0; i < recording->nr_sessions; i++)
		flight_add(flight, &recording->sessions[i].session, &recording->sessions[i].source,
			   i == recording->triggered);
	return 0;
}

/* A session that another command has deleted is in no further part. */
static int add_session(struct recorded *recorded, struct err *err)
{
	struct ktr_session now;

	if (ktr_session_get(recording->shared.ktr, recorded->session.id, &now) == -ENOENT)
		return 0;
	return recorder_add(recording->shared.recorder, &recorded->session, &recorded->source, err);
}

static int fill_recorder(struct document_subject *subject, struct err *err)
{
	size_t i;

	if (recorder_begin(recording->shared.recorder, subject, err))
		return -1;
	name_tasks();
	for (i = 0; i < recording->nr_sessions; i++)
		if (add_session(&recording->sessions[i], err))
			return -1;
	return 0;
}

static struct document_subject subject_of(void)
{
	return (struct document_subject){
		.command = recording->options.words, .program = recording->options.program,
		.pids = recording->shared.pids, .nr_pids = recording->shared.nr_pids,
	};
}

/* Begins a part of the recording. */
static int begin_part(struct err *err)
{
	struct recording_shared *shared = &recording->shared;
	struct document_subject subject = subject_of();

	shared->recorder = rotation_next(&recording->rotation, shared->ktr, err);
	return shared->recorder ? fill_recorder(&subject, err) : -1;
}

static int begin_recorder(struct err *err)
{
	struct document_subject subject = subject_of();

	/* A write beyond the limit of a file's size shall fail. The program keeps its own action. */
	signal(SIGXFSZ, SIG_IGN);
	if (recording->shared.flight)
		return begin_flight(&subject, err);
	if (recording->options.rotation.size)
		return rotation_begin(&recording->rotation, err) ? -1 : begin_part(err);
	return fill_recorder(&subject, err);
}

/* A former recording stays until all sessions are there. */
static int begin(struct err *err)
{
	int error;

	if (attach_parts(err) || begin_recorder(err))
		return -1;
	error = set_gates(true);
	return error ? err_set(err, "The sessions cannot begin to count: %s.",
			       ktr_reason(recording->shared.ktr, error)) : 0;
}

/* Returns 0, or with err set the code to end with. */
static int start_program(struct err *err)
{
	struct recording_shared *shared = &recording->shared;
	int code = program_fork(&recording->program, recording->options.program, err);

	if (code)
		return code;
	shared->program = &recording->program;
	shared->pids = &recording->program.launch.pid;
	shared->nr_pids = 1;
	if (!begin(err))
		return program_go(&recording->program, err);
	program_cancel(&recording->program);
	return CMD_FAILED;
}

static int start_others(struct err *err)
{
	struct recording_shared *shared = &recording->shared;

	signals_init();
	if (recording->whom.pids) {
		shared->pids = recording->whom.pids->pids;
		shared->nr_pids = recording->whom.pids->nr;
	}
	if (begin(err))
		return CMD_FAILED;
	if (isatty(STDERR_FILENO))
		out_put(stderr, "ktrace: recording%s; Ctrl-C ends.\n",
			shared->nr_pids ? "" : " all processes");
	return 0;
}

static int start(struct err *err)
{
	int code = recording->options.program ? start_program(err) : start_others(err);
	size_t i;

	if (!code)
		return 0;
	for (i = 0; i < recording->nr_sessions; i++)
		session_delete(recording->shared.ktr, recording->sessions[i].session.id);
	if (recording->shared.flight)
		flight_abandon(recording->shared.flight);
	else if (recording->shared.recorder)
		recorder_abandon(recording->shared.recorder);
	if (recording->options.rotation.size)
		rotation_abandon(&recording->rotation);
	return code;
}

/* --- while it records -------------------------------------------------------------- */

static bool are_gone(void)
{
	size_t i;

	for (i = 0; i < recording->shared.nr_pids; i++)
		if (procs_is_alive(recording->shared.pids[i]))
			return false;
	return recording->shared.nr_pids;
}

static bool have_first_ended(void)
{
	if (!recording->shared.program)
		return are_gone();
	program_look(&recording->program);
	return recording->program.is_ended;
}

/* Returns why it is over, or NULL. With a program, the first Ctrl-C is for the program. */
static const char *why_over(void)
{
	if (clock_now_ns() >= recording->end)
		return "the duration was over";
	if (recording->shared.program ? signals_nr_interrupts > 1 : signals_nr_ends)
		return "it was interrupted";
	if (have_first_ended() && !left_waits(&recording->left))
		return recording->shared.program ? "the program ended" : "the processes ended";
	return NULL;
}

/* A part that looks takes the notices. */
static void look_after_parts(void)
{
	bool has_looked = false;
	size_t i;

	for (i = 0; i < recording->nr; i++) {
		if (!recording->parts[i].look)
			continue;
		recording->parts[i].look(recording->parts[i].arg);
		has_looked = true;
	}
	if (!has_looked)
		ktr_notices_drain(recording->shared.ktr);
}

/* Waits grow while no packets are full. */
static long next_wait(bool has_more, long ms)
{
	return has_more ? 1 : ms < 64 ? ms * 2 : 100;
}

static const char *fail_to_write(const struct err *err)
{
	out_put(stderr, "ktrace: %s\n", err->text);
	recording->is_unwritten = true;
	return "";
}

/* Returns why it ended. */
static const char *fly_along(void)
{
	struct flight *flight = recording->shared.flight;
	int news = ktr_notice_fd(recording->shared.ktr);
	const char *why;
	struct err err;

	while (!(why = why_over())) {
		look_after_parts();
		if (flight_look(flight, &why, &err))
			return fail_to_write(&err);
		if (why)
			break;
		signals_wait(news, flight_wait_ms(flight));
	}
	return why;
}

/* Goes on in the next part if this one is full. */
static int rotate(struct err *err)
{
	struct recorder *recorder = recording->shared.recorder;

	if (!rotation_is_due(&recording->rotation, recorder))
		return 0;
	recording->shared.recorder = NULL;
	return rotation_cut(&recording->rotation, recorder, err) ? -1 : begin_part(err);
}

/* Returns why it ended. */
static const char *go_along(void)
{
	int news = ktr_notice_fd(recording->shared.ktr);
	bool has_more = false;
	const char *why;
	struct err err;
	size_t nr_left;
	long ms = 1;

	while (!(why = why_over())) {
		look_after_parts();
		if (recorder_pass(recording->shared.recorder, &nr_left, &has_more, &err) ||
		    rotate(&err))
			return fail_to_write(&err);
		if (!nr_left)
			return "another command ended the sessions";
		ms = next_wait(has_more, ms);
		signals_wait(news, has_more ? 0 : ms);
	}
	return why;
}

/* --- end -------------------------------------------------------------------------- */

/* Without the gates, which another command may have made useless, each session counts until here. */
static int stop(void)
{
	int error = set_gates(false);
	size_t i;

	if (error == -EBUSY || error == -ENOENT)
		error = 0;
	for (i = 0; i < recording->nr_sessions && !error; i++) {
		error = session_stop(recording->shared.ktr, &recording->sessions[i].session);
		error = error == -ENOENT ? 0 : error;
	}
	return error;
}

static void tell_sum(void)
{
	struct recorder_sum sum;
	char bytes[FMT_LEN];

	if (recording->shared.flight) {
		flight_tell_sum(recording->shared.flight);
		return;
	}
	if (recording->options.rotation.size) {
		rotation_tell_sum(&recording->rotation, recording->shared.recorder);
		return;
	}
	sum = recorder_sum(recording->shared.recorder);
	out_put(stderr, "ktrace: %llu records, %s, in %.1f s; next: ktrace report %s\n",
		(unsigned long long)sum.records, fmt_bytes(bytes, sum.bytes), sum.ns / 1e9,
		recording->options.recorder.path);
}

/* Returns CMD_OK or CMD_INCOMPLETE. */
static int tell_losses(void)
{
	struct ktr *ktr = recording->shared.ktr;
	struct ktr_session *session;
	int code = CMD_OK;
	size_t i;

	for (i = 0; i < recording->nr_sessions; i++) {
		session = &recording->sessions[i].session;
		if (ktr_session_get(ktr, session->id, session))
			continue;
		session_allow_overwritten(session);
		if (cmd_tell_losses(&session->counters) != CMD_OK)
			code = CMD_INCOMPLETE;
		session_delete(ktr, session->id);
	}
	return code;
}

static int end_parts(void)
{
	int code = CMD_OK, of_part;
	size_t i;

	for (i = 0; i < recording->nr; i++) {
		if (!recording->parts[i].end)
			continue;
		of_part = recording->parts[i].end(recording->parts[i].arg);
		code = code == CMD_OK ? of_part : code;
	}
	return code;
}

/* Returns 0, or -1 with err set. */
static int save_rest(const char *why, struct err *err)
{
	if (recording->shared.recorder)
		return recorder_finish(recording->shared.recorder, why, err);
	return recording->is_unwritten || !recording->shared.flight ? -1 : flight_finish(recording->shared.flight, why, err);
}

/* The data of a program that was lost is reported, and its status returned. */
static int finish(const char *why)
{
	int error, code, incomplete;
	struct err err;

	if (have_first_ended())
		left_tell(&recording->left);
	error = stop();
	look_after_parts();
	if (error)
		err_set(&err, "The sessions cannot be stopped: %s.",
			ktr_reason(recording->shared.ktr, error));
	else
		error = save_rest(why, &err);
	if (error && !recording->is_unwritten)
		out_put(stderr, "ktrace: %s\n", err.text);
	code = end_parts();
	incomplete = tell_losses();
	tell_sum();
	if (error || recording->is_unwritten)
		return CMD_FAILED;
	return code != CMD_OK || recording->shared.program ? code : incomplete;
}

static int record(void)
{
	struct recording_shared *shared = &recording->shared;
	uint64_t duration = recording->whom.duration;
	struct err err;
	int code = start(&err);

	if (code)
		return cmd_fail(code, &err);
	recording->left = (struct left){
		.ktr = shared->ktr, .session = recording->sessions[0].session.id,
		.has_no_wait = recording->whom.has_no_wait,
	};
	recording->end = duration ? clock_now_ns() + duration : UINT64_MAX;
	code = finish(shared->flight ? fly_along() : go_along());
	if (shared->program)
		program_wait(&recording->program);
	return code;
}


/* Finds the session with the events of the condition. Returns 0, or -1 with err set. */
static int choose_triggered(struct err *err)
{
	struct trigger_source *sources = NULL;
	size_t i, j, nr = 0;
	int index = 0;

	recording->triggered = SIZE_MAX;
	if (!recording->options.trigger)
		return 0;
	for (i = 0; i < recording->nr; i++)
		for (j = 0; j < recording->parts[i].nr_sources; j++) {
			sources = mem_grow(sources, nr, sizeof(*sources));
			sources[nr++] = recording->parts[i].sources[j];
		}
	index = trigger_choose(recording->options.trigger, sources, nr, err);
	free(sources);
	recording->triggered = index;
	return index < 0 ? -1 : 0;
}

/* Opens what is written to. Returns 0, or -1 with err set. */
static int open_folder(struct err *err)
{
	struct recording_shared *shared = &recording->shared;
	struct flight_options flight = {
		.recorder = recording->options.recorder, .trigger = recording->options.trigger,
		.holdoff = recording->options.holdoff, .count = recording->options.count,
	};

	if (recording->options.rotation.size) {
		recording->rotation.options = recording->options.rotation;
		recording->rotation.recorder = recording->options.recorder;
		return rotation_open(&recording->rotation, err);
	}
	if (recording->options.is_flight)
		shared->flight = flight_open(shared->ktr, &flight, err);
	else
		shared->recorder = recorder_open(shared->ktr, &recording->options.recorder, err);
	return shared->flight || shared->recorder ? 0 : -1;
}

/* All parts are there. */
static int go(void)
{
	struct recording_shared *shared = &recording->shared;
	const struct opt_pids *pids = recording->whom.pids;
	struct err err;
	int code;

	if (recording_whom_check(&recording->whom, recording->options.program, &err) ||
	    choose_triggered(&err))
		return cmd_fail(CMD_USAGE, &err);
	if (pids && procs_check_alive(pids->pids, pids->nr, &err))
		return cmd_fail(CMD_FAILED, &err);
	code = recording->options.program ?
	       program_find(&recording->program, recording->options.program, recording->whom.user,
			    &err) : 0;
	if (code)
		return cmd_fail(code, &err);
	shared->ktr = module_open_to_begin(&err);
	if (!shared->ktr)
		return cmd_fail(CMD_FAILED, &err);
	code = open_folder(&err) ? cmd_fail(CMD_FAILED, &err) : record();
	flight_close(shared->flight);
	rotation_close(&recording->rotation);
	recorder_close(shared->recorder);
	ktr_close(shared->ktr);
	return code;
}

/* --- parts ------------------------------------------------------------------------ */

static void count_gates(void)
{
	size_t i, nr = 0;

	for (i = 0; i < recording->nr; i++)
		nr += recording->parts[i].nr_gates;
	recording->shared.has_gates = nr > 1;
}

int recording_add(const struct recording_part *part)
{
	recording->parts = mem_grow(recording->parts, recording->nr, sizeof(*recording->parts));
	recording->parts[recording->nr++] = *part;
	recording_whom_share(&recording->whom, &part->whom);
	if (recording->nr < recording->options.nr_parts)
		return recording->options.run(recording->options.arg, recording->nr);
	count_gates();
	return go();
}

int recording_run(const struct recording_options *options)
{
	struct recording *own = mem_alloc(sizeof(*own));
	int code;

	recording = own;
	own->options = *options;
	own->shared.has_entries = options->has_entries;
	code = options->run(options->arg, 0);
	recording = NULL;
	if (own->shared.program) {
		program_free(&own->program);
		if (code == CMD_OK) {
			cmd_tell_efforts();
			program_exit_like(&own->program);
			code = CMD_FAILED;
		}
	}
	free(own->sessions);
	free(own->parts);
	free(own);
	return code;
}
