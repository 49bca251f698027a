// SPDX-License-Identifier: GPL-2.0
/* ktrace ctl read: the data of a session. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/named.h"
#include "cmd/options.h"
#include "cmd/screen.h"
#include "cmd/trace_options.h"
#include "report/fit.h"
#include "report/head.h"
#include "report/taken_out.h"
#include "report/view.h"
#include "session/module.h"
#include "session/session.h"
#include "session/sidecar.h"
#include "util/out.h"
#include "util/signals.h"

struct config {
	struct trace trace;
	int with_reset;
	struct fit fit;		/* what --max-size left out */
};

static const struct opt opts[] = {
	TRACE_VIEW_OPTIONS(struct config, trace),
	{ 0, "reset", NULL, OPT_FLAG, offsetof(struct config, with_reset),
	  "reset the figures once they are written", NULL },
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

/* A session with a stream shows its records, any other session its summary. */
static void set_defaults(struct trace *trace, const struct ktr_session *session)
{
	trace->with_stream = (session->sinks & KTRACE_SINK_STREAM) && !trace->format;
	if (!trace->format)
		trace->format = trace->with_stream && !trace->by ? &format_tree :
				&format_summary;
}

static int check(struct trace *trace, const struct ktr_session *session, struct err *err)
{
	const struct output_format *format = trace->format;
	bool has_stream = session->sinks & KTRACE_SINK_STREAM;

	if ((session->sinks & KTRACE_SINK_COUNT) && !format->has_functions)
		return err_set(err, "The session %s only counts calls (--count); use --format summary, json or csv.",
			       session->name);
	if (!has_stream && format->needs == KTRACE_SINK_STREAM)
		return err_set(err, "The session %s keeps no stream of calls; attach with --stream to keep one.",
			       session->name);
	if (format->needs && !(session->sinks & format->needs))
		return err_set(err, "The session %s keeps no tree (--no-tree); use --format summary.",
			       session->name);
	return trace_options_choose_table(trace, session, err) ||
	       cmd_check_max_size(trace->max_size, format, err) ||
	       format_check(format, &trace->output, false, err) ? -1 : 0;
}

/* Only formats that show records consume them. */
static bool takes_records(const struct trace *trace)
{
	return trace->format->sinks & KTRACE_SINK_STREAM;
}

static int read_stream(struct ktr *ktr, const struct ktr_session *session, struct stream *stream,
		       struct err *err)
{
	int error = stream_finish(stream, &signals_nr_ends);
	struct ktr_session now;

	if (error == -EBUSY && !ktr_session_get(ktr, session->id, &now))
		return err_set(err, "Process %d already reads the stream of %s, which can have only one reader at a time.",
			       now.reader, session->name);
	/* Records that arrived are shown; view and output report the error. */
	if (error == -EINTR || error == -EIO)
		return 0;
	if (error)
		return err_set(err, "The stream of %s cannot be read: %s.", session->name,
			       ktr_reason(ktr, error));
	return 0;
}

/* Sets the current figures aside for this read. Calls count into new figures. */
static int begin_reset(struct ktr *ktr, const struct ktr_session *session, struct err *err)
{
	int error = ktr_sessions_reset(ktr, &session->id, 1, 0);

	if (error == -EALREADY)
		out_put(stderr, "ktrace: the figures that an earlier reset of %s set aside were not read completely; they are shown now. Read again for newer figures.\n",
			session->name);
	else if (error == -ENOMEM)
		return err_set(err, "A second set of figures for %s would exceed the module's memory limit (max_mem); read without --reset, or raise /sys/module/ktrace/parameters/max_mem.",
			       session->name);
	else if (error)
		return err_set(err, "The session %s cannot be reset: %s.", session->name,
			       ktr_reason(ktr, error));
	return 0;
}

/* Lets the module drop the records that were written. ENOENT: the session is gone. */
static int forget(struct ktr *ktr, const struct config *config, const struct ktr_session *session,
		  struct stream *stream, struct err *err)
{
	int error = stream ? stream_acknowledge(stream) : 0;

	if (error && error != -ENOENT)
		return err_set(err, "The module did not record that the stream of %s was read (%s); the next read shows the same records again.",
			       session->name, ktr_reason(ktr, error));
	if (config->with_reset && ktr_sessions_reset(ktr, &session->id, 1, KTRACE_RESET_DONE))
		return err_set(err, "The module did not record that %s was read; the next read with --reset shows the same figures again.",
			       session->name);
	return 0;
}

static int show(struct ktr *ktr, struct config *config, struct ktr_session *session,
		const struct names *names, struct err *err)
{
	struct trace *trace = &config->trace;
	const struct output *output = format_output(trace->format, &trace->output);
	FILE *out = out_open(output, err);
	struct stream *stream = NULL;
	struct view *view;
	int error;

	if (!out)
		return -1;
	screen_choose_style(output);
	head_set_traced(session->name);
	if (!takes_records(trace))
		session->sinks &= ~KTRACE_SINK_STREAM;
	if (config->with_reset && begin_reset(ktr, session, err))
		return -1;
	trace->read_flags = config->with_reset ? KTRACE_READ_BEFORE : 0;
	view = view_create(trace, out, names, session, err);
	if (!view)
		return -1;
	view->fit = &config->fit;
	if (session->sinks & KTRACE_SINK_STREAM)
		stream = stream_create(ktr, session->id, view_sink(view));
	/* A full disk may be reported only by the close. */
	error = (stream && read_stream(ktr, session, stream, err)) ||
		view_finish(view, ktr, err) || out_close(out, output, err) ||
		forget(ktr, config, session, stream, err);
	stream_free(stream);
	return error ? -1 : 0;
}

/* The commands of the other providers draw their figures in ways of their own. */
static int check_provider(const struct ktr_session *session, struct err *err)
{
	if (session->provider == KTRACE_PROVIDER_USER)
		return 0;
	return err_set(err, "%s measures %s, and ctl read shows functions of programs only; ktrace stream passes its records on, and ktrace serve its figures.",
		       session->name, session_provider(session->provider));
}

static int read_session(struct ktr *ktr, struct config *config, const char *name)
{
	struct ktr_session session;
	struct names names = { .nr = 0 };
	struct err err;
	int error;

	if (named_find(ktr, name, &session, &err))
		return cmd_fail(CMD_FAILED, &err);
	if (check_provider(&session, &err))
		return cmd_fail(CMD_FAILED, &err);
	set_defaults(&config->trace, &session);
	if (check(&config->trace, &session, &err))
		return cmd_fail(CMD_USAGE, &err);
	if (!sidecar_read(name, session.cookie, session.nr_funcs, &names))
		out_put(stderr, "ktrace: the names of session %s are not known here (/run/ktrace/%s is missing, belongs to another session, or cannot be read); functions are shown as build-id+offset.\n",
			name, name);
	names_fill(&names, ktr, session.id, 0);
	error = show(ktr, config, &session, &names, &err);
	taken_out_tell(stderr, ktr, &session, &names);
	names_free(&names);
	if (error)
		return cmd_fail(CMD_FAILED, &err);
	if (signals_nr_ends) {
		out_put(stderr, "ktrace: a signal ended the read of %s; show the rest with: ktrace ctl read %s.\n",
			name, name);
		return CMD_INCOMPLETE;
	}
	ktr_session_get(ktr, session.id, &session);
	if (session.provider == KTRACE_PROVIDER_USER)
		cmd_tell_unmatched(&session.counters);
	return cmd_tell_fit(&config->fit) | cmd_tell_losses(&session.counters);
}

static int run(const struct command *command, int argc, char **argv)
{
	struct config config;
	int first, code;
	struct err err;
	struct ktr *ktr;

	memset(&config, 0, sizeof(config));
	code = cmd_parse(command, argc, argv, &config, &first);
	if (code >= 0)
		return code;
	if (first != argc - 1) {
		err_set(&err, "Which session? ktrace ctl read NAME; see: ktrace ctl list.");
		return cmd_fail(CMD_USAGE, &err);
	}
	if (trace_options_parse_by(&config.trace, &err))
		return cmd_fail(CMD_USAGE, &err);
	ktr = module_open_to_trace(&err);
	if (!ktr)
		return cmd_fail(CMD_FAILED, &err);
	/* A folder that was begun is completed. With a stream, unwritten records stay in the module. */
	if (config.trace.format && config.trace.format->is_folder) {
		signals_init();
		signals_let_in();
	}
	code = read_session(ktr, &config, argv[first]);
	ktr_close(ktr);
	signals_pass_end();
	return code;
}

const struct command cmd_read = {
	.name = "read",
	.usage = "ctl read NAME [options]",
	.summary = "Read what a session has measured.",
	.opts = opts,
	.examples = "  ktrace ctl list\n"
		    "  ktrace ctl read \"$(ktrace ctl list | awk 'NR == 2 { print $1 }')\" --sort self\n"
		    "  ktrace ctl read -h\n",
	.run = run,
};
