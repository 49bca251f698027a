// SPDX-License-Identifier: GPL-2.0
/*
 * From options to figures of kernel providers. All commands that show such figures use this file.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/gather_attach.h"
#include "cmd/gather_check.h"
#include "cmd/record_views.h"
#include "cmd/recording.h"
#include "cmd/screen.h"
#include "cmd/to_sinks.h"
#include "report/head.h"
#include "report/record.h"
#include "report/stacks.h"
#include "report/unwind_text.h"
#include "session/module.h"
#include "session/session.h"
#include "session/stream.h"
#include "session/unwinder.h"
#include "session/wait.h"
#include "stream/streamer.h"
#include "system/procs.h"
#include "system/program.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

struct run {
	struct gather *config;
	const struct gather_view *view;		/* the first view */
	struct program program;
	bool has_program;
	struct ktr *ktr;
	struct unwinder unwinder;
	struct gathered {
		const struct gather_view *view;
		struct run *run;
		struct stream *stream;		/* or NULL */
	} parts[GATHER_VIEWS];
	struct ktr_session sessions[GATHER_VIEWS];
	uint64_t ids[GATHER_VIEWS];	/* of the sessions */
	size_t nr;
	FILE *out;		/* NULL with --to */
	struct streamer streamer;	/* with --to */
	bool is_unread;		/* the reader of the output has closed it */
	uint64_t began;		/* ns, CLOCK_MONOTONIC: the first window began */
	uint64_t from;		/* start of the next window */
	struct left left;
};

/* --- begin ---------------------------------------------------------------- */

/*
 * The files of chosen tasks are compiled before they count. A session that stays has no command
 * that compiles others later.
 */
static void prepare_unwinder(struct run *run)
{
	struct gather *config = run->config;

	if (!gather_has_tables(config) || (config->kept && !config->pids.nr))
		return;
	unwinder_open(&run->unwinder, run->ktr);
	if (run->has_program)
		unwinder_add_program(&run->unwinder, run->program.launch.image);
	unwinder_add_processes(&run->unwinder, config->pids.pids, config->pids.nr);
	config->unwinder = run->unwinder.ktr ? &run->unwinder : NULL;
}

static int attach(struct run *run, struct err *err)
{
	const struct gather_choice choice = {
		.pids = run->has_program ? &run->program.launch.pid : run->config->pids.pids,
		.nr_pids = run->has_program ? 1 : run->config->pids.nr,
		.is_on_exec = run->has_program,
		.has_gate = run->view->next,
	};
	const struct gather_beside *beside = run->view->beside;
	const struct gather_view *view;

	prepare_unwinder(run);
	for (view = run->view; view; view = view->next) {
		if (gather_attach(run->ktr, run->config, view, &choice, &run->sessions[run->nr], err))
			return -1;
		run->ids[run->nr] = run->sessions[run->nr].id;
		run->parts[run->nr].view = view;
		run->parts[run->nr++].run = run;
	}
	unwinder_begun(&run->unwinder);
	return beside ? beside->open(beside->arg, choice.pids, choice.nr_pids, choice.is_on_exec,
				     err) : 0;
}

/* With several views, all sessions begin to count at once, and cease at once. */
static int set_gate(struct run *run, bool is_open)
{
	return run->nr < 2 ? 0 : ktr_sessions_gate(run->ktr, run->ids, run->nr, is_open);
}

static void mark_beside(struct run *run, bool is_end)
{
	const struct gather_beside *beside = run->view->beside;

	if (beside)
		(is_end ? beside->end : beside->mark)(beside->arg);
}

static int look_again(struct run *run)
{
	int error = 0;
	size_t i;

	for (i = 0; i < run->nr && !error; i++)
		error = ktr_session_get(run->ktr, run->sessions[i].id, &run->sessions[i]);
	return error;
}

static int open_gate(struct run *run, struct err *err)
{
	const struct gather_beside *beside = run->view->beside;
	int error = set_gate(run, true);

	if (!error && beside)
		beside->begin(beside->arg);
	if (!error)
		error = look_again(run);
	return error ? err_set(err, "The sessions cannot begin to count: %s.",
			       ktr_reason(run->ktr, error)) : 0;
}

static void take_event(void *arg, const struct ktr_record *event)
{
	struct gathered *part = arg;
	struct run *run = part->run;
	const struct gather_view *view = part->view;
	const struct record_source source = gather_source(run->config, view);
	struct record record;

	if (event->id != view->event_id && event->id != EVENT_GAP)
		return;
	record_parse(&record, event, &source);
	run->config->format->record(run->out, &record, run->began, view->events);
}

static int read_stacks(void *arg)
{
	struct gathered *part = arg;
	struct run *run = part->run;
	struct stacks *stacks = part->view->stacks ? part->view->stacks : &run->config->stacks;

	return stacks_read(stacks, run->ktr, run->sessions[part - run->parts].id,
			   run->config->unwinder);
}

/* The next read or flush reports the error. */
static bool flush_events(void *arg)
{
	struct gathered *part = arg;
	FILE *out = part->run->out;

	return !fflush(out) && !ferror(out);
}

static int look_at_stacks(void *arg, const struct ktr_session *session)
{
	(void)session;
	return read_stacks(arg);
}

/* Records go to collectors. */
static int begin_feed(struct run *run, size_t i, struct err *err)
{
	const struct gather_view *view = run->parts[i].view;
	struct feed_options options = {
		.names = {
			.source = gather_source(run->config, view), .arg = &run->parts[i],
			.look = run->sessions[i].sinks & KTRACE_SINK_STACKS ? look_at_stacks : NULL,
		},
		.only = view->event_id,
	};
	struct ktr_session session = run->sessions[i];

	if (!(session.sinks & KTRACE_SINK_STREAM) || !view->events)
		return 0;
	snprintf(session.name, sizeof(session.name), "%s", head_command());
	return streamer_add(&run->streamer, &session, &options, err);
}

static int begin_feeds(struct run *run, struct err *err)
{
	size_t i;

	if (!run->config->to.nr)
		return 0;
	streamer_tell_promises(stderr, &run->streamer);
	for (i = 0; i < run->nr; i++)
		if (begin_feed(run, i, err))
			return -1;
	return 0;
}

static void begin_stream(struct run *run, size_t i)
{
	struct stream_sink sink = {
		.event = take_event, .flush = flush_events, .arg = &run->parts[i],
	};

	if (run->sessions[i].sinks & KTRACE_SINK_STACKS)
		sink.look = read_stacks;
	if (run->sessions[i].sinks & KTRACE_SINK_STREAM)
		run->parts[i].stream = stream_create(run->ktr, run->sessions[i].id, &sink);
}

static int start_program(struct run *run, char **argv, struct err *err)
{
	int code = program_fork(&run->program, argv, err);

	if (code)
		return code;
	if (attach(run, err) || open_gate(run, err)) {
		program_cancel(&run->program);
		return CMD_FAILED;
	}
	return program_go(&run->program, err);
}

static int start(struct run *run, char **argv, struct err *err)
{
	if (run->has_program)
		return start_program(run, argv, err);
	signals_init();
	if (attach(run, err) || open_gate(run, err))
		return CMD_FAILED;
	if (isatty(STDERR_FILENO) && !run->config->kept)
		out_put(stderr, "ktrace: counting %s%s%s; Ctrl-C ends.\n", run->view->what,
			run->view->is_of_no_task || run->config->pids.nr ? "" : " of all processes",
			conditions_are_given(&run->config->conditions) ? " that match" : "");
	return 0;
}

/* --- figures -------------------------------------------------------------- */

static int fail_to_read(const struct run *run, int error)
{
	struct err err;

	err_set(&err, "The figures cannot be read from the module: %s.", ktr_reason(run->ktr, error));
	return cmd_fail(CMD_FAILED, &err);
}

/*
 * Reads stacks often, and before tables are compiled for a tenth of a second, so that those of short
 * programs can be named.
 */
static int look_often(struct run *run)
{
	int error = 0;
	size_t i;

	if (!run->config->with_stacks)
		return 0;
	ktr_notices_drain(run->ktr);
	for (i = 0; i < run->nr && !error; i++)
		if (run->sessions[i].sinks & KTRACE_SINK_STACKS)
			error = read_stacks(&run->parts[i]);
	unwinder_look(&run->unwinder);
	return error;
}

static bool has_stream(const struct run *run)
{
	size_t i;

	for (i = 0; i < run->nr; i++)
		if (run->parts[i].stream)
			return true;
	return false;
}

static int fail_to_write(struct run *run, int error, const struct err *err)
{
	run->is_unread = error == -EPIPE;
	return cmd_fail(CMD_FAILED, err);
}

static int flush(struct run *run)
{
	struct err err;
	int error = !run->out ? 0 : out_flush(run->out, &run->config->output, &err);

	return error ? fail_to_write(run, error, &err) : CMD_OK;
}

/* Handles records that could not be read or written. */
static int fail_stream(struct run *run, int error)
{
	int code = flush(run);

	return code == CMD_OK ? fail_to_read(run, error) : code;
}

static int show_figures(const struct run *run, const struct gather_moment *moment)
{
	return run->config->by ? gather_show_by(run->config, run->view->kplan, run->out, moment) :
	       run->view->show(run->view->arg, run->out, moment);
}

/* Text stands below a line with the length of its window and, with an interval, the time of day. */
static int show_text(struct run *run, const struct gather_moment *moment)
{
	int error;

	if (!moment->is_one_of_many && moment->is_behind_events)
		fputc('\n', run->out);
	if (!run->config->format->paths)	/* these print it */
		head_print(run->out);
	error = show_figures(run, moment);
	if (!error && moment->is_last)
		unwind_print(run->out, run->unwinder.files, run->unwinder.nr);
	if (!error && moment->is_one_of_many)
		fputc('\n', run->out);
	return error;
}

/* Passes each row of the document on. */
static int pass_rows(struct run *run, const struct gather_moment *moment)
{
	char *text = NULL;
	size_t len;
	int error;

	run->out = open_memstream(&text, &len);
	if (!run->out)
		return -ENOMEM;
	error = show_figures(run, moment);
	fclose(run->out);
	run->out = NULL;
	if (!error)
		to_sinks_pass(&run->streamer, text, moment->from, moment->to);
	free(text);
	return error;
}

/* Returns CMD_OK, or the code to end with. */
static int show(struct run *run, uint32_t read_flags, uint64_t to, bool is_last)
{
	struct gather_moment moment = {
		.ktr = run->ktr,
		.sessions = run->sessions,
		.read_flags = read_flags,
		.from = run->from,
		.to = to,
		.is_one_of_many = run->config->interval,
		.is_first = run->from == run->began,
		.is_last = is_last,
		.is_behind_events = has_stream(run),
	};
	int error = look_often(run);

	head_set_window(run->from, to);
	if (!error && run->config->to.nr)
		error = pass_rows(run, &moment);
	else if (!error)
		error = run->config->format->is_data ?
			show_figures(run, &moment) : show_text(run, &moment);
	run->from = to;
	if (error)
		return fail_to_read(run, error);
	return flush(run);
}

/* Returns CMD_OK, or the code to end with. */
static int show_stream(struct run *run)
{
	size_t nr_packets, i;
	struct err err;
	bool has_more;
	int error = 0;

	if (streamer_pass(&run->streamer, &nr_packets, &has_more, &err))
		return cmd_fail(CMD_FAILED, &err);

	for (i = 0; i < run->nr && !error; i++)
		if (run->parts[i].stream)
			error = stream_read(run->parts[i].stream, &nr_packets);
	return error ? fail_stream(run, error) : flush(run);
}

/*
 * Stops all sessions before the last figures are read. Returns 0 or a negative errno. Without the
 * gate, which another command may have made useless, each session counts until it is stopped.
 */
static int stop(struct run *run)
{
	static const volatile int no;
	int error = set_gate(run, false);
	size_t i;

	mark_beside(run, true);
	if (error == -EBUSY || error == -ENOENT)
		error = 0;
	for (i = 0; i < run->nr && !error; i++)
		error = session_stop(run->ktr, &run->sessions[i]);
	for (i = 0; i < run->nr && !error; i++)
		if (run->parts[i].stream)
			error = stream_finish(run->parts[i].stream, &no);
	return error;
}

/* Sets the figures aside first, so that each call counts in exactly one interval. */
static int show_interval(struct run *run)
{
	int error = ktr_sessions_reset(run->ktr, run->ids, run->nr, 0), code;
	uint64_t now = clock_now_ns();

	mark_beside(run, false);
	if (!error)
		error = look_again(run);
	if (error)
		return fail_to_read(run, error);
	code = show(run, KTRACE_READ_BEFORE, now, false);
	error = ktr_sessions_reset(run->ktr, run->ids, run->nr, KTRACE_RESET_DONE);
	return code == CMD_OK && error ? fail_to_read(run, error) : code;
}

/* --- while it runs -------------------------------------------------------- */

static bool are_gone(const struct opt_pids *pids)
{
	size_t i;

	for (i = 0; i < pids->nr; i++)
		if (procs_is_alive(pids->pids[i]))
			return false;
	return pids->nr > 0;
}

/* Have the processes of the command line ended? */
static bool have_first_ended(struct run *run)
{
	if (!run->has_program)
		return are_gone(&run->config->pids);
	program_look(&run->program);
	return run->program.is_ended;
}

/* With a program, the first Ctrl-C is for the program. */
static bool is_over(struct run *run, uint64_t end)
{
	if (clock_now_ns() >= end)
		return true;
	if (run->has_program ? signals_nr_interrupts > 1 : signals_nr_ends)
		return true;
	return have_first_ended(run) && !left_waits(&run->left);
}

static uint64_t least(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

static int go_along(struct run *run)
{
	uint64_t interval = run->config->interval, start = run->began, now;
	uint64_t end = run->config->duration ? start + run->config->duration : UINT64_MAX;
	uint64_t next = interval ? start + interval : UINT64_MAX;
	int news = run->config->with_stacks ? ktr_notice_fd(run->ktr) : -1, code = CMD_OK, error;

	while (code == CMD_OK && !is_over(run, end)) {
		now = clock_now_ns();
		error = look_often(run);
		code = error ? fail_to_read(run, error) : show_stream(run);
		if (code == CMD_OK && now >= next) {
			code = show_interval(run);
			next += (now - next) / interval * interval + interval;
			/* Signals are handled only while waiting, so every round waits. */
			signals_wait(-1, 0);
			continue;
		}
		signals_wait(news, least(least(next, end) - now, CLOCK_SECOND / 10) / 1000000 + 1);
	}
	return code;
}

/* The window ends with the last process, or with the session. */
static uint64_t end_of(const struct run *run)
{
	const struct ktr_session *session = &run->sessions[0];

	return session->ended_at > run->from ? session->ended_at : session->now.monotonic;
}

static int finish(struct run *run)
{
	int code, incomplete = CMD_OK, error;
	struct err err;
	size_t i;

	if (have_first_ended(run))
		left_tell(&run->left);
	error = stop(run);
	if (!error && streamer_finish(&run->streamer, STREAMER_STOP_MS, &err))
		return cmd_fail(CMD_FAILED, &err);
	code = error ? fail_stream(run, error) : show(run, 0, end_of(run), true);
	if (code != CMD_OK)
		return code;
	error = run->out ? out_close(run->out, &run->config->output, &err) : 0;
	if (error)
		return fail_to_write(run, error, &err);
	if (!streamer_tell_losses(stderr, &run->streamer) || run->config->is_cut)
		incomplete = CMD_INCOMPLETE;
	for (i = 0; i < run->nr; i++) {
		cmd_tell_missed(&run->sessions[i].counters);
		code = cmd_tell_losses(&run->sessions[i].counters);
		incomplete = code == CMD_OK ? incomplete : code;
		session_delete(run->ktr, run->sessions[i].id);
	}
	return run->has_program ? CMD_OK : incomplete;
}

/* Describes the traced tasks for the line above the figures. */
static void name_traced(const struct run *run)
{
	bool has_conditions = conditions_are_given(&run->config->conditions);
	const char *path = run->program.launch.path, *slash = path ? strrchr(path, '/') : NULL;
	char *names, *traced;

	if (run->has_program)
		names = mem_format("%s (%d)", slash ? slash + 1 : path, run->program.launch.pid);
	else if (run->config->pids.nr)
		names = procs_describe(run->config->pids.pids, run->config->pids.nr);
	else
		names = mem_string(run->view->is_of_no_task ? "the whole machine" : "all processes");
	traced = mem_format("%s%s", names, has_conditions ? ", matching tasks only" : "");
	head_set_traced(traced);
	free(traced);
	free(names);
}

static int tell_kept(struct run *run)
{
	const char *name = run->config->kept;

	out_put(run->out, "Session %s counts %s.\n", name, run->view->what);
	if (run->sessions[0].sinks & KTRACE_SINK_STREAM)
		out_put(run->out, "Next: ktrace ctl list; ktrace stream %s; ktrace ctl detach %s\n",
			name, name);
	else
		out_put(run->out, "It has metrics of ktrace serve, and no single events (--slow).\nNext: ktrace ctl show %s; ktrace ctl detach %s\n",
			name, name);
	return flush(run);
}

static int gather(struct run *run, char **argv)
{
	struct err err;
	size_t i;
	int code;

	if (!run->config->to.nr && !(run->out = out_open(&run->config->output, &err)))
		return cmd_fail(CMD_FAILED, &err);
	screen_choose_style(&run->config->output);
	code = start(run, argv, &err);
	if (code)
		return cmd_fail(code, &err);
	if (run->config->kept)
		return tell_kept(run);
	run->began = run->has_program ? run->program.launch.began : run->sessions[0].start.monotonic;
	run->from = run->began;
	run->left = (struct left){
		.ktr = run->ktr, .session = run->sessions[0].id,
		.has_no_wait = run->config->has_no_wait,
	};
	head_set_asked(run->config->duration);
	head_set_repeated(run->config->interval);
	name_traced(run);
	code = begin_feeds(run, &err) ? cmd_fail(CMD_FAILED, &err) : CMD_OK;
	for (i = 0; i < run->nr && run->out; i++)
		begin_stream(run, i);
	if (code == CMD_OK)
		code = go_along(run);
	if (code == CMD_OK)
		code = finish(run);
	if (run->has_program)
		program_wait(&run->program);
	/* A closed output (head) is no failure: the program's status is returned. */
	return run->has_program && run->is_unread ? CMD_OK : code;
}

int gather_run(struct gather *config, const struct gather_view *view, char **argv)
{
	struct run *run;
	struct err err;
	size_t i;
	int code;

	if (recording_is_on())
		return record_views(config, view);
	run = mem_alloc(sizeof(*run));
	run->config = config;
	run->view = view;
	run->has_program = *argv;
	if (gather_check(config, view, run->has_program, &err))
		return cmd_fail(CMD_USAGE, &err);
	if (procs_check_alive(config->pids.pids, config->pids.nr, &err))
		return cmd_fail(CMD_FAILED, &err);
	code = run->has_program ? program_find(&run->program, argv, config->user, &err) : 0;
	if (code)
		return cmd_fail(code, &err);
	run->program.launch.is_output_error = out_is_apart(&config->output);
	if (streamer_open(&run->streamer, config->to.words, config->to.nr, &config->limits, stderr,
			  &err))
		return cmd_fail(CMD_USAGE, &err);
	run->ktr = run->streamer.ktr = module_open_to_begin(&err);
	if (!run->ktr)
		return cmd_fail(CMD_FAILED, &err);
	code = gather(run, argv);
	config->unwinder = NULL;
	unwinder_close(&run->unwinder);
	streamer_close(&run->streamer);
	for (i = 0; i < run->nr; i++)
		stream_free(run->parts[i].stream);
	ktr_close(run->ktr);
	if (run->has_program)
		program_free(&run->program);
	if (run->has_program && code == CMD_OK) {
		cmd_tell_efforts();
		program_exit_like(&run->program);
		code = CMD_FAILED;
	}
	free(run);
	return code;
}
