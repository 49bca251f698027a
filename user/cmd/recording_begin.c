// SPDX-License-Identifier: GPL-2.0
/* How the sessions of several commands begin together. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/cmd.h"
#include "cmd/recording_parts.h"
#include "session/session.h"
#include "session/wait.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

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

/* The files of chosen tasks are compiled before the first session that needs them is made. */
struct unwinder *recording_unwinder(void)
{
	const struct recording_shared *shared = &recording->shared;
	struct unwinder *unwinder = &recording->unwinder;

	if (!recording->has_unwinder) {
		recording->has_unwinder = true;
		unwinder_open(unwinder, shared->ktr);
		if (shared->program)
			unwinder_add_program(unwinder, recording->program.launch.image);
		else
			unwinder_add_processes(unwinder, shared->pids, shared->nr_pids);
	}
	return unwinder->ktr ? unwinder : NULL;
}

int recording_set_gates(bool is_open)
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

static void set_content(void)
{
	const char *path = recording->program.launch.path, *slash;

	recording->content = (struct recording_content){
		.subject = {
			.command = recording->options.words, .program = recording->options.program,
			.pids = recording->shared.pids, .nr_pids = recording->shared.nr_pids,
		},
		.sessions = recording->sessions, .nr = recording->nr_sessions,
		.triggered = recording->triggered,
	};
	if (!recording->shared.program)
		return;
	slash = strrchr(path, '/');
	snprintf(recording->comm, sizeof(recording->comm), "%.15s", slash ? slash + 1 : path);
	recording->content.comm = recording->comm;
}

/* A former recording stays until all sessions are there. */
static int begin(struct err *err)
{
	int error;

	if (attach_parts(err))
		return -1;
	unwinder_begun(&recording->unwinder);
	set_content();
	if (recording_target_begin(&recording->target, &recording->content, err))
		return -1;
	error = recording_set_gates(true);
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
	if (recording->choice.pids) {
		shared->pids = recording->choice.pids->pids;
		shared->nr_pids = recording->choice.pids->nr;
	}
	if (begin(err))
		return CMD_FAILED;
	if (isatty(STDERR_FILENO))
		out_put(stderr, "ktrace: recording%s; Ctrl-C ends.\n",
			shared->nr_pids ? "" : " all processes");
	return 0;
}

int recording_begin(struct err *err)
{
	int code = recording->options.program ? start_program(err) : start_others(err);
	size_t i;

	if (!code)
		return 0;
	for (i = 0; i < recording->nr_sessions; i++)
		session_delete(recording->shared.ktr, recording->sessions[i].session.id);
	recording_target_abandon(&recording->target);
	return code;
}
