// SPDX-License-Identifier: GPL-2.0
/* Sessions of several commands, recorded together. */
#include <errno.h>
#include <stdlib.h>

#include "cmd/cmd.h"
#include "cmd/recording_parts.h"
#include "session/module.h"
#include "session/session.h"
#include "session/wait.h"
#include "system/procs.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

struct recording_state *recording;

bool recording_is_on(void)
{
	return recording;
}

char *const *recording_words(void)
{
	return recording->options.words_of(recording->options.arg,
					   recording->attaching - recording->parts);
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
	unwinder_look(&recording->unwinder);
}

/* Returns why it ended. */
static const char *go_along(void)
{
	struct recording_target *target = &recording->target;
	int news = ktr_notice_fd(recording->shared.ktr);
	const char *why;

	while (!(why = why_over())) {
		look_after_parts();
		why = recording_target_look(target);
		if (why)
			break;
		signals_wait(news, recording_target_wait_ms(target));
	}
	return why;
}

/* --- end -------------------------------------------------------------------------- */

/* Without the gates, which another command may have made useless, each session counts until here. */
static int stop(void)
{
	int error = recording_set_gates(false);
	size_t i;

	if (error == -EBUSY || error == -ENOENT)
		error = 0;
	for (i = 0; i < recording->nr_sessions && !error; i++) {
		error = session_stop(recording->shared.ktr, &recording->sessions[i].session);
		error = error == -ENOENT ? 0 : error;
	}
	return error;
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
		cmd_tell_missed(&session->counters);
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

/*
 * The data of a program that was lost is reported, and its status returned. Sessions that cannot be
 * stopped are recorded until now.
 */
static int finish(const char *why)
{
	int error, failed, code, incomplete;

	if (have_first_ended())
		left_tell(&recording->left);
	error = stop();
	look_after_parts();
	if (error)
		out_put(stderr, "ktrace: The sessions cannot be stopped: %s.\n",
			ktr_reason(recording->shared.ktr, error));
	failed = recording_target_finish(&recording->target,
					 error ? "the sessions could not be stopped" : why);
	code = end_parts();
	incomplete = tell_losses();
	recording_target_tell_sum(&recording->target);
	if (error || failed)
		return CMD_FAILED;
	return code != CMD_OK || recording->shared.program ? code : incomplete;
}

static int record(void)
{
	struct recording_shared *shared = &recording->shared;
	uint64_t duration = recording->choice.duration;
	struct err err;
	int code = recording_begin(&err);

	if (code)
		return cmd_fail(code, &err);
	recording->left = (struct left){
		.ktr = shared->ktr, .session = recording->sessions[0].session.id,
		.has_no_wait = recording->choice.has_no_wait,
	};
	recording->end = duration ? clock_now_ns() + duration : UINT64_MAX;
	code = finish(go_along());
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

static int trace(void)
{
	struct recording_shared *shared = &recording->shared;
	const struct runs *runs = recording->runs.path ? &recording->runs : NULL;
	struct err err;
	int code;

	shared->ktr = module_open_to_begin(&err);
	if (!shared->ktr)
		return cmd_fail(CMD_FAILED, &err);
	code = recording_target_open(&recording->target, shared->ktr, &recording->options, runs,
				     &err) ? cmd_fail(CMD_FAILED, &err) : record();
	recording_target_close(&recording->target);
	unwinder_close(&recording->unwinder);
	recording->has_unwinder = false;
	ktr_close(shared->ktr);
	return code;
}

/* Ends like the program, if all went well. */
static int end_like_program(struct recording_state *own, int code)
{
	if (!own->shared.program)
		return code;
	program_free(&own->program);
	if (code != CMD_OK)
		return code;
	cmd_tell_efforts();
	program_exit_like(&own->program);
	return CMD_FAILED;
}

static int run_once(void *arg, unsigned int nr, volatile bool *is_done)
{
	int code;

	(void)arg;
	recording->runs.nr = nr;
	code = trace();
	*is_done = code == CMD_OK || code == CMD_INCOMPLETE;
	return end_like_program(recording, code);
}

static int run_repeatedly(void)
{
	const struct recording_options *options = &recording->options;
	struct repeat_work work = { .run = run_once };
	struct runs *runs = &recording->runs;
	struct err err;
	int error;

	error = runs_open(runs, &options->recorder, options->nr_runs, &err);
	if (!error)
		error = repeat(options->nr_runs, &work, &recording->repeated, &err);
	if (!error)
		runs_tell_all(runs, recording->repeated.nr);
	runs_close(runs);
	return error ? cmd_fail(CMD_FAILED, &err) : CMD_OK;
}

/* All parts are there. */
static int go(void)
{
	const struct opt_pids *pids = recording->choice.pids;
	struct err err;
	int code;

	if (recording_choice_check(&recording->choice, recording->options.program, &err) ||
	    choose_triggered(&err))
		return cmd_fail(CMD_USAGE, &err);
	if (pids && procs_check_alive(pids->pids, pids->nr, &err))
		return cmd_fail(CMD_FAILED, &err);
	code = recording->options.program ?
	       program_find(&recording->program, recording->options.program, recording->choice.user,
			    &err) : 0;
	if (code)
		return cmd_fail(code, &err);
	return recording->options.nr_runs ? run_repeatedly() : trace();
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
	recording_choice_share(&recording->choice, &part->choice);
	if (recording->nr < recording->options.nr_parts)
		return recording->options.run(recording->options.arg, recording->nr);
	count_gates();
	return go();
}

int recording_run(const struct recording_options *options)
{
	struct recording_state *own = mem_alloc(sizeof(*own));
	int code;

	recording = own;
	own->options = *options;
	own->shared.has_entries = options->has_entries;
	code = options->run(options->arg, 0);
	recording = NULL;
	code = end_like_program(own, code);
	if (code == CMD_OK && options->nr_runs)
		launch_exit_like(own->repeated.wait_status);
	free(own->sessions);
	free(own->parts);
	free(own);
	return code;
}
