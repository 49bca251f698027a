// SPDX-License-Identifier: GPL-2.0
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/exports.h"
#include "cmd/progress.h"
#include "draw/chrome.h"
#include "draw/perf.h"
#include "keep/ctf_copy.h"
#include "keep/kept_tasks.h"
#include "report/number_names.h"
#include "report/record.h"
#include "session/event.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"

/* --- perf ----------------------------------------------------------------------- */

struct samples {
	struct perf *perf;
	const struct measured *measured;
	struct perf_place *path;
	size_t room;
};

static struct perf_place place_of(const struct samples *samples, uint32_t func)
{
	const struct kept_session *session = samples->measured->session;

	if (!kept_file_of(session, func))
		return (struct perf_place){ PERF_NO_FILE, 0 };
	return (struct perf_place){ session->functions[func].file, session->functions[func].offset };
}

static void put_sample(void *arg, const struct ktrace_node *node, const uint32_t *path,
		       unsigned int depth)
{
	struct samples *samples = arg;

	if (depth >= samples->room) {
		samples->room = 2 * depth + 64;
		samples->path = mem_resize(samples->path, samples->room * sizeof(*samples->path));
	}
	samples->path[depth] = place_of(samples, node->func);
	if (depth)
		samples->path[depth - 1] = place_of(samples, path[depth - 1]);
	perf_path(samples->perf, samples->path, depth + 1, node->self_ns);
}

void export_perf(FILE *out, const struct measured *measured)
{
	const struct recording *recording = measured->recording;
	const struct kept_session *session = measured->session;
	const char *program = recording->program.nr ? recording->program.words[0] : "ktrace";
	const char *slash = strrchr(program, '/');
	struct samples samples = { .measured = measured };
	struct perf_file file;
	struct graph graph;
	char text[FMT_LEN];
	uint64_t lost;
	size_t i;

	samples.perf = perf_create(out, recording->pid ? recording->pid : 1,
				   slash ? slash + 1 : program, session->is.now.monotonic);
	for (i = 0; i < session->nr_files; i++) {
		file = (struct perf_file){ session->files[i].path, session->files[i].build_id };
		perf_file(samples.perf, &file);
	}
	measured_graph(measured, &graph);
	graph_walk(&graph, put_sample, &samples);
	graph_free(&graph);
	free(samples.path);
	lost = perf_end(samples.perf);
	if (lost)
		out_put(stderr, "ktrace: %s of functions that belong to no file are not in the output; perf finds names in files only.\n",
			fmt_plain(text, lost));
}

/* --- chrome --------------------------------------------------------------------- */

/* A pass over a recording. Each session has a process of its own, in which a thread is a line. */
struct drawing {
	struct chrome *chrome;
	const struct kept *kept;
	struct measuring *measuring;
	const struct kept_session *session;	/* of the current record */
	uint64_t nr_requests;
};

/* Numbers above those that Linux has. */
static uint32_t pid_of(const struct drawing *drawing)
{
	return 0x40000000 + drawing->session->nr;
}

static void put_call(void *arg, const struct call *call)
{
	struct drawing *drawing = arg;
	const struct ktr_record record = { .id = EVENT_EXIT, .flags = call->flags };
	struct chrome_event event = {
		.name = names_get(&drawing->session->names, call->func), .category = "calls",
		.pid = pid_of(drawing), .tid = call->tid, .begin = call->begin, .end = call->end,
		.note = call->flags & KTRACE_REC_F_OPEN ? "not ended" : event_mark(&record),
	};

	chrome_event(drawing->chrome, &event);
}

static void put_record(struct drawing *drawing, const struct ktr_record *from)
{
	const struct record_source source = {
		.names = &drawing->session->names, .stacks = &drawing->session->stacks,
	};
	struct chrome_event event = {
		.pid = pid_of(drawing), .tid = from->tid,
		.begin = from->time - from->duration, .end = from->time, .category = "events",
	};
	struct record record;
	char text[ERRNO_NAME_LEN];

	record_parse(&record, from, &source);
	event.name = record.name;
	event.path = from->id == EVENT_FAULT ? NULL : record.path;
	if (record.error)
		event.note = errno_text(text, record.error);
	if (from->id == EVENT_SAMPLE) {
		event.begin = event.end;
		if (record.stack && record.stack->nr)
			event.name = record.stack->frames[0];
	}
	if (from->id == EVENT_REQUEST) {
		event.path = recording_inode(drawing->kept->recording, record.request.file_dev,
					     record.request.inode);
		event.id = ++drawing->nr_requests;
		event.category = "requests";
	}
	chrome_event(drawing->chrome, &event);
}

static bool take(void *arg, const struct packets *packets)
{
	struct drawing *drawing = arg;
	const struct recording *recording = drawing->kept->recording;
	struct ktr_record record;

	drawing->session = packets->session;
	if (!packets->record || packets->record->id < KTRACE_REC_SYSCALL)
		return true;
	if (merged_record(packets, &record) &&
	    filter_event(&drawing->kept->filter, recording, packets->session, &record))
		put_record(drawing, &record);
	return true;
}

static int read_once(struct drawing *drawing, struct err *err)
{
	const struct kept *kept = drawing->kept;
	struct measuring *measuring = drawing->measuring;
	int error;
	size_t i;

	if (measuring_open(measuring, kept->recording, kept->session, &kept->filter, err))
		return -1;
	drawing->nr_requests = 0;
	for (i = 0; i < kept->recording->nr; i++)
		if (measuring->all[i])
			calls_pass_to(measuring->all[i]->calls, put_call, drawing);
	error = measuring_pass(measuring, take, drawing, kept_progress(), err);
	progress_end();
	return error;
}

static void name_task(void *arg, const struct kept_task *task)
{
	struct drawing *drawing = arg;

	if (task->comm[0])
		chrome_name(drawing->chrome, pid_of(drawing), task->tid, task->comm);
}

static void put_names(struct drawing *drawing)
{
	const struct recording *recording = drawing->kept->recording;
	size_t i;

	for (i = 0; i < recording->nr; i++) {
		drawing->session = &recording->sessions[i];
		if (!drawing->measuring->all[i])
			continue;
		chrome_name(drawing->chrome, pid_of(drawing), 0, drawing->session->folder);
		kept_tasks_each(recording->tasks, name_task, drawing);
	}
}

static void tell_cut(const struct chrome_cut *cut)
{
	char text[FMT_LEN];

	if (cut->nr)
		out_put(stderr, "ktrace: --max-size leaves out %llu of %llu events, all that are shorter than %s.\n",
			(unsigned long long)cut->nr, (unsigned long long)cut->all_nr,
			fmt_plain(text, cut->shortest_ns));
}

int export_chrome(FILE *out, const struct kept *kept, uint64_t max_size,
		  struct measuring *measuring, bool *is_cut, struct err *err)
{
	struct drawing drawing = { .kept = kept, .measuring = measuring };
	struct chrome_cut cut;
	int error;

	drawing.chrome = chrome_create(out, max_size, kept->recording->begin.monotonic);
	error = read_once(&drawing, err);
	if (!error) {
		measuring_free(measuring);
		chrome_begin(drawing.chrome);
		error = read_once(&drawing, err);
	}
	if (!error)
		put_names(&drawing);
	chrome_end(drawing.chrome, &cut);
	if (!error)
		tell_cut(&cut);
	*is_cut = cut.nr;
	return error;
}

/* --- ctf ------------------------------------------------------------------------ */

int export_ctf(const struct kept *kept, const char *path, bool is_forced,
	       struct measuring *measuring, struct err *err)
{
	struct ctf_copy *copy = ctf_copy_open(path, is_forced, err);
	int error;

	/* A file that is too large is an error like others. */
	signal(SIGXFSZ, SIG_IGN);
	if (!copy)
		return -1;
	error = measuring_open(measuring, kept->recording, kept->session, &kept->filter, err);
	if (!error)
		error = ctf_copy_write(copy, measuring, &kept->filter, kept_progress(), err);
	progress_end();
	ctf_copy_close(copy);
	return error;
}
