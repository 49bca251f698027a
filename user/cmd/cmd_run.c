// SPDX-License-Identifier: GPL-2.0
/* ktrace run: traces a program from its first instruction to its end. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "cmd/cmd.h"
#include "cmd/left.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "cmd/recording.h"
#include "cmd/screen.h"
#include "cmd/to_sinks.h"
#include "cmd/trace_options.h"
#include "cmd/unmatched.h"
#include "report/fit.h"
#include "report/head.h"
#include "report/plan_text.h"
#include "report/taken_out.h"
#include "report/view.h"
#include "session/follow.h"
#include "session/module.h"
#include "session/session.h"
#include "session/stream.h"
#include "session/trace.h"
#include "session/wait.h"
#include "system/program.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/signals.h"

struct config {
	struct trace trace;
	const char *user;
	int has_no_wait;
	struct opt_words to;	/* collectors, which get rows and, with --stream, records */
	struct link_limits limits;
};

static const struct opt opts[] = {
	TRACE_PROBE_OPTIONS(struct config, trace),
	HEADING("Which tasks"),
	{ 'u', "user", "USER[:GROUP]", OPT_STRING, offsetof(struct config, user),
	  "run the program as this user: uid, gid and groups, names or numbers", NULL },
	{ 0, "no-follow", NULL, OPT_FLAG, offsetof(struct config, trace.no_follow),
	  "do not trace children or executed programs", NULL },
	NO_WAIT_OPTION(struct config, has_no_wait),
	CONDITION_OPTIONS(struct config, trace.conditions),
	TRACE_VIEW_OPTIONS(struct config, trace),
	SINK_OPTIONS(struct config, to, limits,
		     "instead of output, pass each row, and with --stream each call, on to SINK (ktrace stream -h)"),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* Everything that a run holds. Freed by end(). */
struct run {
	struct config config;
	struct program program;
	struct plan plan;
	struct names names;
	struct ktr *ktr;
	struct ktr_session session;
	struct follow *follow;	/* or NULL */
	struct stream *stream;
	struct streamer streamer;	/* with --to */
	struct view *view;
	struct fit fit;		/* what --max-size left out */
	FILE *out;
	char *document;		/* with --to: what out has written */
	size_t document_len;
	int output_error;	/* the first one, a negative errno */
	struct left left;
	uint32_t flags;		/* KTRACE_F_* */
	bool lacks_code;	/* functions are not probed because their code is writable */
	bool is_unwritten;	/* records could not be written, so no more are read */
};

/* --- while it runs ------------------------------------------------------- */

static const struct output *output_of(const struct run *run)
{
	return format_output(run->config.trace.format, &run->config.trace.output);
}

static void flush(struct run *run)
{
	struct err err;

	if (run->output_error)
		return;
	run->output_error = out_flush(run->out, output_of(run), &err);
	if (run->output_error)
		out_put(stderr, "ktrace: %s\n", err.text);
}

/* A closed output (head) is no failure: the program's status is returned. */
static int close_output(struct run *run)
{
	struct err err;

	flush(run);
	if (!run->output_error) {
		run->output_error = out_close(run->out, output_of(run), &err);
		if (run->output_error)
			out_put(stderr, "ktrace: %s\n", err.text);
	}
	return !run->output_error || run->output_error == -EPIPE ? CMD_OK : CMD_FAILED;
}

/* Returns 2 if there is more at once. A stream that cannot be read any more is reported once. */
static size_t pass_records(struct run *run)
{
	bool has_more = false;
	struct err err;
	size_t nr_left;

	if (!run->is_unwritten && streamer_pass(&run->streamer, &nr_left, &has_more, &err)) {
		out_put(stderr, "ktrace: %s\n", err.text);
		run->is_unwritten = true;
	}
	return has_more ? 2 : 0;
}

/* Returns the number of packets. */
static size_t show_news(struct run *run)
{
	size_t nr_packets = 0;

	if (run->streamer.nr_feeds)
		return pass_records(run);
	if (!run->stream)
		return 0;
	run->is_unwritten = stream_read(run->stream, &nr_packets) == -EIO;
	view_tick(run->view, stream_clock(run->stream));
	flush(run);
	return nr_packets;
}

/* Probes what the program loads and what its children execute. */
static void look_after_files(struct run *run)
{
	char *text;

	if (!run->follow) {
		ktr_notices_drain(run->ktr);
		return;
	}
	follow_answer(run->follow);
	while ((text = follow_take_remark(run->follow))) {
		out_put(stderr, "ktrace: %s.\n", text);
		free(text);
	}
}

/*
 * Ends with the last traced process, or at the second Ctrl-C. The first one also reaches the
 * program, which handles it in its own way. Waits grow while no records arrive.
 */
static void go_along(struct run *run)
{
	long ms = 1;

	for (;;) {
		program_look(&run->program);
		/* Notices from before the program's end may still be unread. */
		look_after_files(run);
		if (signals_nr_interrupts > 1 ||
		    (run->program.is_ended && !left_waits(&run->left)))
			return;
		ms = show_news(run) > 1 ? 1 : ms < 64 ? ms * 2 : 100;
		if (run->is_unwritten || (run->output_error && run->stream))
			return;
		signals_wait(ktr_notice_fd(run->ktr), ms);
	}
}

/* --- begin and end ------------------------------------------------------- */

static int check(struct config *config, int argc, int first, struct err *err)
{
	if (first == argc)
		return err_set(err, "Which program? Put it after the options: ktrace %s -- PROGRAM [ARGS].",
			       recording_is_on() ? "record -o DIR" : "run");
	if (config->to.nr && to_sinks_check(&config->to, &config->trace.output,
					    &config->trace.format, true, err))
		return -1;
	/* A tree has no rows. */
	config->trace.no_tree |= config->to.nr > 0;
	if (!config->trace.is_dry_run && !config->to.nr &&
	    format_check(config->trace.format, &config->trace.output, true, err))
		return -1;
	if (cmd_check_max_size(config->trace.max_size, config->trace.format, err))
		return -1;
	if (config->trace.by && config->trace.with_stream)
		return err_set(err, "--by has rows of figures, and --stream single calls; omit one of them.");
	return trace_options_check(&config->trace, err);
}

/* Room for functions of libraries and programs that are loaded later. */
#define ROOM 16384

static bool loads_more(const struct trace *trace)
{
	return !trace->no_follow || trace->nested_libs.nr;
}

static int begin_follow(struct run *run, struct err *err)
{
	struct follow_options options = {
		.trace = &run->config.trace,
		.does_programs = !run->config.trace.no_follow,
		.program = run->program.launch.image,
		.plan = &run->plan,
	};

	/* A task that is held in the loader has hit a probe before ThreadSanitizer starts. */
	if (!loads_more(options.trace) || run->plan.objects[0].is_tsan)
		return 0;
	run->follow = follow_create(run->ktr, &run->session, &run->names, &options, err);
	return run->follow ? 0 : -1;
}

static int attach(struct run *run, struct err *err)
{
	const struct trace *trace = &run->config.trace;
	int32_t pid = run->program.launch.pid;
	struct session_options options = {
		.provider = KTRACE_PROVIDER_USER,
		.sinks = trace_options_sinks(trace),
		.flags = run->flags,
		.does_follow = !trace->no_follow,
		.room = loads_more(trace) ? ROOM : 0,
		.pids = &pid,
		.nr_pids = 1,
		.progress = progress_choose(),
		.nr_wanted = run->plan.nr_sites,
	};
	int error;

	trace_fill_session(trace, &run->plan, &options);
	if (recording_is_on())
		recording_fill(&options);
	error = session_attach(run->ktr, &run->plan, &options, &signals_nr_ends, &run->session, err);
	progress_end();
	return error;
}

/* Records go to collectors. */
static int begin_feed(struct run *run, struct err *err)
{
	struct feed_options options = { .names.source.names = &run->names };
	struct ktr_session session = run->session;

	streamer_tell_promises(stderr, &run->streamer);
	if (!(session.sinks & KTRACE_SINK_STREAM))
		return 0;
	snprintf(session.name, sizeof(session.name), "%s", head_command());
	return streamer_add(&run->streamer, &session, &options, err);
}

static int begin_view(struct run *run, struct err *err)
{
	const char *base = strrchr(run->program.launch.path, '/');
	char *traced;

	run->out = run->config.to.nr ? open_memstream(&run->document, &run->document_len) :
				       out_open(output_of(run), err);
	if (!run->out)
		return -1;
	screen_choose_style(output_of(run));
	names_add(&run->names, &run->plan, 0);
	/* Records do not pass through the view, which then shows the figures. */
	if (run->config.to.nr)
		run->config.trace.with_stream = 0;
	run->view = view_create(&run->config.trace, run->out, &run->names, &run->session, err);
	if (!run->view)
		return -1;
	run->view->fit = &run->fit;
	traced = mem_format("%s (%d)", base ? base + 1 : run->program.launch.path,
			  run->program.launch.pid);
	head_set_traced(traced);
	free(traced);
	view_name_process(run->view, run->program.launch.pid, run->program.launch.path);
	if (run->config.to.nr)
		return begin_feed(run, err);
	if (run->session.sinks & KTRACE_SINK_STREAM)
		run->stream = stream_create(run->ktr, run->session.id, view_sink(run->view));
	return 0;
}

static int pass_rows(struct run *run)
{
	uint64_t from = run->program.launch.began;

	fclose(run->out);
	to_sinks_pass(&run->streamer, run->document, from, run->session.now.monotonic);
	free(run->document);
	return streamer_tell_losses(stderr, &run->streamer) ? CMD_OK : CMD_INCOMPLETE;
}

/* Stops the session before its last records are read, so that no record follows them. */
static int finish(struct run *run)
{
	static const volatile int no;
	struct err err;
	int error, code;

	error = session_stop(run->ktr, &run->session);
	/* The notice of a short program may arrive after its end. */
	if (run->program.is_ended)
		look_after_files(run);
	if (!error && run->stream)
		error = stream_finish(run->stream, &no);
	/* The session ends with the command, so unwritten records are lost. */
	if (!error && run->stream)
		error = stream_acknowledge(run->stream);
	if (error && error != -EIO) {
		err_set(&err, "The results cannot be read from the module: %s.",
			ktr_reason(run->ktr, error));
		return cmd_fail(CMD_FAILED, &err);
	}
	if (streamer_finish(&run->streamer, STREAMER_STOP_MS, &err) ||
	    view_finish(run->view, run->ktr, &err))
		return cmd_fail(CMD_FAILED, &err);
	run->view = NULL;
	code = run->config.to.nr ? pass_rows(run) : close_output(run);
	cmd_tell_fit(&run->fit);
	taken_out_tell(stderr, run->ktr, &run->session, &run->names);
	if (!ktr_session_get(run->ktr, run->session.id, &run->session)) {
		cmd_tell_unmatched(&run->session.counters);
		cmd_tell_losses(&run->session.counters);
	}
	session_delete(run->ktr, run->session.id);
	return code;
}

static void end(struct run *run)
{
	follow_free(run->follow);
	stream_free(run->stream);
	streamer_close(&run->streamer);
	free(run->config.to.words);
	names_free(&run->names);
	plan_free(&run->plan);
	ktr_close(run->ktr);
	trace_free(&run->config.trace);
	program_free(&run->program);
}

/* ptrace is not used, so a set-user-ID program gets its rights. */
static void warn_set_id(const struct run *run)
{
	struct stat st;

	if (program_is_set_id(&run->program) && !stat(run->program.launch.path, &st))
		out_put(stderr, "ktrace: %s is set-user-ID: it runs with the rights of user %u, its owner.\n",
			run->program.launch.path, st.st_uid);
}

static void tell_unmatched(const struct run *run)
{
	unmatched_tell(&run->config.trace, run->program.launch.image,
		       run->follow ? follow_nr_programs(run->follow) : 0);
}

static int start(struct run *run, char **argv, struct err *err)
{
	int code = program_fork(&run->program, argv, err);

	if (code)
		return code;
	if (attach(run, err) || begin_view(run, err) || begin_follow(run, err)) {
		program_cancel(&run->program);
		return CMD_FAILED;
	}
	plan_tell_failed(stderr, run->ktr, &run->session, &run->plan);
	warn_set_id(run);
	code = program_go(&run->program, err);
	if (!code)
		view_begin_at(run->view, run->program.launch.began);
	return code;
}

static int trace_program(struct run *run, char **argv)
{
	bool has_none;
	struct err err;
	int code = start(run, argv, &err);

	if (code)
		return cmd_fail(code, &err);
	run->left = (struct left){
		.ktr = run->ktr, .session = run->session.id, .has_no_wait = run->config.has_no_wait,
	};
	go_along(run);
	if (run->program.is_ended)
		left_tell(&run->left);
	tell_unmatched(run);
	has_none = unmatched_are_all(&run->config.trace);
	code = finish(run);
	program_wait(&run->program);
	end(run);
	if (code || has_none || run->lacks_code)
		return code ? code : CMD_INCOMPLETE;
	cmd_tell_efforts();
	program_exit_like(&run->program);
	return CMD_FAILED;
}

/* --- as a part of a recording ---------------------------------------------- */

static int attach_recorded(void *arg, const struct recording_shared *shared, struct err *err)
{
	struct run *run = arg;
	struct recorded_source source = { .names = &run->names, .command = recording_words() };

	run->ktr = shared->ktr;
	run->flags = shared->has_entries ? 0 : KTRACE_F_NO_ENTRIES;
	run->program.launch.pid = shared->program->launch.pid;
	if (attach(run, err))
		return -1;
	run->names.has_places = true;
	names_add(&run->names, &run->plan, 0);
	recording_attached(&run->session, &source, false);
	if (begin_follow(run, err))
		return -1;
	plan_tell_failed(stderr, run->ktr, &run->session, &run->plan);
	warn_set_id(run);
	return 0;
}

static void look_recorded(void *arg)
{
	look_after_files(arg);
}

static int end_recorded(void *arg)
{
	struct run *run = arg;

	tell_unmatched(run);
	taken_out_tell(stderr, run->ktr, &run->session, &run->names);
	if (!ktr_session_get(run->ktr, run->session.id, &run->session))
		cmd_tell_unmatched(&run->session.counters);
	follow_free(run->follow);
	return unmatched_are_all(&run->config.trace) || run->lacks_code ? CMD_INCOMPLETE : CMD_OK;
}

static int record(struct run *run)
{
	struct recording_part part = {
		.choice = { .user = run->config.user, .has_no_wait = run->config.has_no_wait },
		.sources = { { .provider = KTRACE_PROVIDER_USER, .plan = &run->plan } },
		.nr_sources = 1,
		.attach = attach_recorded, .look = look_recorded, .end = end_recorded, .arg = run,
	};
	int code = recording_add(&part);

	names_free(&run->names);
	plan_free(&run->plan);
	trace_free(&run->config.trace);
	return code;
}

static int dry_run(struct run *run)
{
	plan_print(stdout, &run->plan);
	plan_print_unmatched(stdout, &run->config.trace);
	return CMD_OK;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct run *run = mem_alloc(sizeof(*run));
	struct trace *trace = &run->config.trace;
	struct trace_file file = { NULL, NULL, 0 };
	struct err err;
	int first, code, error;

	code = cmd_parse(command, argc, argv, &run->config, &first);
	if (code >= 0)
		return code;
	/* A recording has all calls. */
	trace->with_stream |= recording_is_on();
	if (!trace->format && !run->config.to.nr)
		trace->format = trace->is_count || trace->by ? &format_summary : &format_tree;
	if (check(&run->config, argc, first, &err))
		return cmd_fail(CMD_USAGE, &err);
	code = program_find(&run->program, argv + first, run->config.user, &err);
	if (code)
		return cmd_fail(code, &err);
	if (!trace->is_dry_run && !recording_is_on()) {
		if (streamer_open(&run->streamer, run->config.to.words, run->config.to.nr,
				  &run->config.limits, stderr, &err))
			return cmd_fail(CMD_USAGE, &err);
		run->ktr = run->streamer.ktr = module_open_to_begin(&err);
		if (!run->ktr)
			return cmd_fail(CMD_FAILED, &err);
	}
	run->program.launch.is_output_error = out_is_apart(&trace->output);
	file.path = run->program.launch.image;
	trace->may_load_more = loads_more(trace);
	trace->may_execute = !trace->no_follow && !trace->is_dry_run;
	error = trace_plan(trace, &file, &run->plan, &err);
	plan_tell_unopened(stderr, &run->plan);
	if (error)
		return cmd_fail(CMD_FAILED, &err);
	plan_tell_tsan(stderr, &run->plan);
	plan_tell_unbound(stderr, &run->plan);
	run->lacks_code = plan_tell_writable(stderr, &run->plan);
	unmatched_warn(trace, &run->plan);
	if (!trace->is_dry_run) {
		plan_tell_named(stderr, &run->plan);
		plan_tell_left_out(stderr, &run->plan);
	}
	if (trace->is_dry_run)
		return dry_run(run);
	return recording_is_on() ? record(run) : trace_program(run, argv + first);
}

const struct command cmd_run = {
	.name = "run",
	.usage = "run [options] -- PROGRAM [ARGS]",
	.summary = "Run a program and show its calls, from the first instruction.",
	.opts = opts,
	.examples = "  ktrace run -- /bin/ls\n"
		    "  ktrace run --format summary --sort self -- /bin/ls -l /\n"
		    "  ktrace run -f 'malloc,free' --dry-run -- /bin/ls\n",
	.program = PROGRAM_ALWAYS,
	.run = run,
};
