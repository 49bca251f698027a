// SPDX-License-Identifier: GPL-2.0
/* ktrace replay: shows a recording as the commands that measured would have shown it. */
#include <stdlib.h>
#include <string.h>

#include "cmd/cmd.h"
#include "cmd/kept.h"
#include "cmd/options.h"
#include "cmd/progress.h"
#include "cmd/screen.h"
#include "keep/measured.h"
#include "keep/replayed.h"
#include "report/head.h"
#include "report/record.h"
#include "report/view.h"
#include "util/mem.h"
#include "util/out.h"

#define FLUSH_AFTER 4096	/* records */

struct config {
	struct kept_options which;
	const struct output_format *format;
	struct output output;
};

static const struct opt opts[] = {
	KEPT_OPTIONS(struct config, which),
	HEADING("Output"),
	FORMAT_OPTION(struct config, format, FORMATS_OF_REPLAYS),
	MOMENT_OPTION,
	STYLE_OPTIONS,
	OUTPUT_OPTIONS(struct config, output),
	{ 0, NULL, NULL, 0, 0, NULL, NULL },
};

struct replay {
	struct config config;
	struct kept kept;
	FILE *out;
	struct measuring measuring;	/* figures of calls, printed behind the records */
	struct replayed *replayed;	/* single calls; NULL: only figures are shown of them */
	struct view **views;		/* one per session */
	unsigned int nr_unflushed;
};

/* --- single records ------------------------------------------------------------- */

static struct view *view_of(struct replay *replay, const struct kept_session *session)
{
	return replay->views[session - replay->kept.recording->sessions];
}

/* A call, or the end of one. */
static void put_call(void *arg, const struct kept_session *session, const struct ktr_record *record)
{
	struct replay *replay = arg;
	const struct output_format *format = replay->config.format;
	const struct record_source source = { .names = &session->names };
	struct record parsed;

	if (format->event) {
		format->event(view_of(replay, session), record);
		/* Lines that wait for others are in memory. */
		if (format->flush && !(++replay->nr_unflushed % FLUSH_AFTER))
			format->flush(view_of(replay, session));
		return;
	}
	record_parse(&parsed, record, &source);
	format->record(replay->out, &parsed, replay->kept.recording->begin.monotonic, "records");
}

/* Disks and files have the names that they had. */
static void name_request(const struct recording *recording, struct record *record)
{
	const char *disk = recording_disk(recording, record->request.dev);
	const char *path = recording_inode(recording, record->request.file_dev, record->request.inode);

	if (disk)
		record->disk = disk;
	if (path)
		record->path = path;
}

static void put_event(struct replay *replay, const struct kept_session *session,
		      const struct ktr_record *event)
{
	const struct recording *recording = replay->kept.recording;
	const struct output_format *format = replay->config.format;
	const struct record_source source = { .names = &session->names, .stacks = &session->stacks };
	struct record record;

	record_parse(&record, event, &source);
	if (event->id == EVENT_REQUEST)
		name_request(recording, &record);
	(format->record ? format : &format_table)->record(replay->out, &record,
		recording->begin.monotonic, session->folder);
}

static bool take(void *arg, const struct packets *packets)
{
	struct replay *replay = arg;
	const struct kept_session *session = packets->session;
	const struct kept *kept = &replay->kept;
	struct ktr_record event;

	if (packets->record && packets->record->id < KTRACE_REC_SYSCALL) {
		if (replay->replayed)
			replayed_take(replay->replayed, packets);
		return true;
	}
	if (!merged_record(packets, &event) && event.id != EVENT_GAP)
		return true;
	if (event.id == EVENT_GAP)
		event.duration += !event.duration;
	if (event.id == EVENT_GAP && session->is.provider == KTRACE_PROVIDER_USER) {
		if (replay->replayed)
			put_call(replay, session, &event);
		return true;
	}
	if (event.id == EVENT_GAP ||
	    filter_event(&kept->filter, kept->recording, session, &event))
		put_event(replay, session, &event);
	return true;
}

/* --- a pass --------------------------------------------------------------------- */

static int begin_views(struct replay *replay, struct err *err)
{
	const struct recording *recording = replay->kept.recording;
	static struct trace trace;	/* options that views look at: none */
	struct view *view;
	size_t i;

	replay->views = mem_alloc((recording->nr + 1) * sizeof(*replay->views));
	for (i = 0; i < recording->nr; i++) {
		view = mem_alloc(sizeof(*view));
		view->trace = &trace;
		view->format = replay->config.format;
		view->out = replay->out;
		view->names = &recording->sessions[i].names;
		view->session = recording->sessions[i].is;
		view->from = recording->begin.monotonic;
		replay->views[i] = view;
		/* The line of titles stands once. */
		if (replay->replayed && view->format->begin &&
		    recording->sessions[i].is.provider == KTRACE_PROVIDER_USER &&
		    view->format->begin(view, err))
			return -1;
	}
	return 0;
}

static int end_views(struct replay *replay, struct err *err)
{
	const struct recording *recording = replay->kept.recording;
	int error = 0;
	size_t i;

	for (i = 0; replay->views && i < recording->nr; i++) {
		if (replay->replayed && replay->views[i] && replay->views[i]->state &&
		    replay->views[i]->format->end)
			error |= replay->views[i]->format->end(replay->views[i], err);
		free(replay->views[i]);
	}
	free(replay->views);
	replay->views = NULL;
	return error;
}

static int read_all(struct replay *replay, struct err *err)
{
	struct measuring *measuring = &replay->measuring;
	struct kept *kept = &replay->kept;
	int error;

	if (measuring_open(measuring, kept->recording, kept->session, &kept->filter, err))
		return -1;
	error = measuring_pass(measuring, take, replay, kept_progress(), err);
	progress_end();
	return !error && replay->replayed ? replayed_finish(replay->replayed, err) : error;
}

/* What `ktrace run` prints at its end. */
static void print_figures(struct replay *replay)
{
	const struct recording *recording = replay->kept.recording;
	const struct measured *measured;
	struct table functions;
	struct graph graph;
	size_t i;

	for (i = 0; i < recording->nr; i++) {
		measured = replay->measuring.all[i];
		if (!measured || measured_kind(measured) != MEASURED_CALLS ||
		    !recording->sessions[i].nr_records)
			continue;
		measured_print(replay->out, measured, 0, NULL);
		measured_functions(measured, &functions);
		measured_graph(measured, &graph);
		graph_set_rows(&graph, &functions);
		fputc('\n', replay->out);
		graph_print(replay->out, &graph, &measured->session->names);
		graph_free(&graph);
		table_free(&functions);
	}
}

static int print(struct replay *replay, struct err *err)
{
	const struct output_format *format = replay->config.format;
	int error, code;

	replay->out = out_open(&replay->config.output, err);
	if (!replay->out)
		return CMD_FAILED;
	screen_choose_style(&replay->config.output);
	if (format != &format_table)
		replay->replayed = replayed_create(replay->kept.recording, &replay->kept.filter,
						   put_call, replay);
	error = begin_views(replay, err) || read_all(replay, err);
	error |= end_views(replay, err);
	if (!error && !replay->replayed)
		print_figures(replay);
	if (error || out_close(replay->out, &replay->config.output, err))
		return CMD_FAILED;
	kept_tell_choice(&replay->kept, &replay->measuring);
	code = kept_tell(&replay->kept, replay->measuring.merged);
	if (!replay->replayed)
		code |= kept_tell_calls(&replay->kept, &replay->measuring);
	return code;
}

static int run(const struct command *command, int argc, char **argv)
{
	struct replay replay = { .out = NULL };
	int first, code;
	struct err err;

	code = cmd_parse(command, argc, argv, &replay.config, &first);
	if (code >= 0)
		return code;
	if (!replay.config.format)
		replay.config.format = &format_table;
	if (format_check(replay.config.format, &replay.config.output, false, &err))
		return cmd_fail(CMD_USAGE, &err);
	code = kept_open(&replay.kept, &replay.config.which, command->name, argc, argv, first);
	if (!code) {
		code = print(&replay, &err);
		if (code == CMD_FAILED)
			cmd_fail(code, &err);
	}
	replayed_free(replay.replayed);
	measuring_free(&replay.measuring);
	kept_close(&replay.kept);
	return code;
}

const struct command cmd_replay = {
	.name = "replay",
	.usage = "replay FOLDER [options]",
	.summary = "Show a recording as the commands that measured would have.",
	.note = "Functions have the table and tree that ktrace run shows, and with --format tree,\n"
		"flat or json their single calls. All other sessions have single events.",
	.opts = opts,
	.examples = "  ktrace record -o seen --force -- /bin/ls; ktrace replay seen\n"
		    "  ktrace replay seen --format tree --min-time 1ms\n",
	.run = run,
};
