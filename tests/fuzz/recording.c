// SPDX-License-Identifier: GPL-2.0
/* A recording with any lines, packets and records, shown in every way. */
#include <sys/stat.h>
#include <unistd.h>

#include <json-c/json.h>

#include "keep/measured.h"
#include "keep/ordered.h"
#include "keep/replayed.h"
#include "keep/summary.h"
#include "report/format.h"
#include "report/graph.h"
#include "report/record.h"
#include "uapi/ktrace_record.h"

#include "fuzz.h"
#include "memory.h"

#define NR_FOLDERS 2
#define NR_CPUS 2
/*
 * Bytes: whatever numbers are in a recording, it takes no more beyond its own length. Nearly all of
 * it is the limit on open calls (threads.c).
 */
#define MOST_MEMORY (192 << 20)

static const char *const folders[NR_FOLDERS] = { "functions", "syscalls" };
/* In memory: a file system on a disk waits for it when a file is replaced. */
static char work[] = "/dev/shm/ktrace-fuzz-XXXXXX";

static void remove_work(void)
{
	char *command = NULL;

	must(asprintf(&command, "rm -rf %s", work) > 0);
	must(!system(command));
	free(command);
}

static void make_work(void)
{
	char path[64];
	int i;

	must(mkdtemp(work));
	for (i = 0; i < NR_FOLDERS; i++) {
		snprintf(path, sizeof(path), "%s/%s", work, folders[i]);
		must(!mkdir(path, 0700));
	}
	atexit(remove_work);
}

static FILE *create(const char *folder, const char *name, int cpu)
{
	char path[128];
	FILE *file;

	snprintf(path, sizeof(path), cpu < 0 ? "%s/%s%s" : "%s/%s/%s%d", work, folder, name, cpu);
	file = fopen(path, "we");
	must(file);
	return file;
}

/* Puts records into a packet whose head is right, or bytes as they are. */
static void write_stream(int which, const uint8_t *bytes, size_t len)
{
	int folder = which % NR_FOLDERS, cpu = which / NR_FOLDERS % NR_CPUS;
	struct ktrace_packet head = {
		.magic = KTRACE_CTF_MAGIC, .uuid = { 7 + folder, 0, 0, 0, 0, 0, 0, 0, 0x88, 0x77, 0x66,
						     0x55, 0x44, 0x33, 0x22, 0x11 },
		.cpu_id = cpu, .packet_seq = which >> 6,
		.content_bits = 8 * (sizeof(head) + (len & ~(size_t)7)),
		.packet_bits = 8 * (sizeof(head) + (len & ~(size_t)7)),
	};
	FILE *file = create(folders[folder], "stream_", cpu);

	if (!(which & 32)) {
		fwrite(&head, sizeof(head), 1, file);
		len &= ~(size_t)7;
	}
	fwrite(bytes, 1, len, file);
	fclose(file);
}

static void write_all(struct input *input)
{
	uint8_t *part;
	size_t len;
	FILE *file;
	int i, which;

	for (i = 0; i < NR_FOLDERS * NR_CPUS; i++)
		fclose(create(folders[i % NR_FOLDERS], "stream_", i / NR_FOLDERS));
	part = take_part(input, &len);
	file = create("", "ktrace.jsonl", -1);
	fwrite(part, 1, len, file);
	fclose(file);
	free(part);
	while (input->left > 2) {
		which = take(input, 1);
		part = take_part(input, &len);
		write_stream(which, part, len);
		free(part);
	}
}

static void take_replayed(void *out, const struct kept_session *session,
			  const struct ktr_record *event)
{
	const struct record_source source = { .names = &session->names, .stacks = &session->stacks };
	struct record record;

	record_parse(&record, event, &source);
	record_print_json(out, &record);
}

static void show(FILE *out, const struct measured *measured)
{
	struct graph graph;
	struct paths paths;

	measured_print(out, measured, 5, NULL);
	measured_graph(measured, &graph);
	graph_print(out, &graph, &measured->session->names);
	graph_free(&graph);
	measured_paths(measured, &paths);
	format_callers.paths(out, &paths);
	paths_free(&paths);
	measured_stack_paths(measured, &paths);
	format_callers.paths(out, &paths);
	paths_free(&paths);
	json_object_put(measured_document(measured, true));
}

/* A pass for single calls, as ktrace replay makes it. */
struct single {
	struct replayed *replayed;
	FILE *out;
};

static bool take_single(void *arg, const struct packets *packets)
{
	struct single *single = arg;
	const struct record_source source = {
		.names = &packets->session->names, .stacks = &packets->session->stacks,
	};
	struct ktr_record event;
	struct record record;

	if (!packets->record || packets->record->id < KTRACE_REC_SYSCALL) {
		replayed_take(single->replayed, packets);
	} else if (merged_record(packets, &event)) {
		record_parse(&record, &event, &source);
		if (event.id <= KTRACE_REC_SAMPLE)
			record_print(single->out, &record, 0);
	}
	return true;
}

static void replay(FILE *out, struct recording *recording, const struct filter *filter)
{
	struct single single = { .out = out };
	struct merged *merged;
	struct err err;

	merged = merged_open(recording, NULL, &err);
	if (!merged)
		return;
	single.replayed = replayed_create(recording, filter, take_replayed, out);
	merged_each(merged, take_single, &single, NULL, NULL);
	replayed_finish(single.replayed, &err);
	replayed_free(single.replayed);
	merged_cut(merged, recording);
	merged_close(merged);
}

/* A pass for calls in order, as --format ctf makes it. */
struct ordering {
	struct measuring measuring;
	struct ordered *ordered;	/* of the first session */
	uint64_t time;
};

static void take_event(void *arg, const struct ktr_record *record, bool is_hidden)
{
	struct ordering *ordering = arg;

	must(record->written >= ordering->time);
	must(record->id < EVENT_SYSCALL && (!is_hidden || record->id > EVENT_EXIT));
	ordering->time = record->written;
}

static bool take_ordered(void *arg, const struct packets *packets)
{
	struct ordering *ordering = arg;
	struct measuring *measuring = &ordering->measuring;
	size_t nr = packets->session - measuring->recording->sessions;

	if (!nr)
		ordered_take(ordering->ordered, packets);
	measured_take(measuring->all[nr], packets);
	if (!nr)
		ordered_settle(ordering->ordered);
	return true;
}

static void order(struct recording *recording, const struct filter *filter)
{
	struct ordering ordering = { .time = 0 };
	struct ordered_options options = {
		.recording = recording, .session = recording->sessions, .filter = filter,
		.folder = recording->fd, .fn = take_event, .arg = &ordering,
	};
	struct err err;

	if (recording->nr && !measuring_open(&ordering.measuring, recording, NULL, filter, &err)) {
		options.calls = ordering.measuring.all[0]->calls;
		ordering.ordered = ordered_create(&options);
		merged_each(ordering.measuring.merged, take_ordered, &ordering, NULL, NULL);
		measured_finish(ordering.measuring.all[0]);
		must(!ordered_finish(ordering.ordered));
		ordered_free(ordering.ordered);
	}
	measuring_free(&ordering.measuring);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	struct input input = { data, len };
	struct filter filter = { .to = UINT64_MAX };
	struct measuring measuring = { .all = NULL };
	struct recording *recording;
	struct err err;
	FILE *out;
	size_t i;

	if (work[sizeof(work) - 2] == 'X')
		make_work();
	filter.max_depth = take(&input, 1) % 4;
	write_all(&input);
	memory_begin();
	recording = recording_open(work, &err);
	must(recording || err.text[0]);
	if (!recording)
		return 0;
	out = open_checked();
	if (!measuring_open(&measuring, recording, NULL, &filter, &err) &&
	    !measuring_pass(&measuring, NULL, NULL, NULL, &err)) {
		summary_print(out, recording, NULL);
		for (i = 0; i < recording->nr; i++)
			show(out, measuring.all[i]);
	}
	measuring_free(&measuring);
	replay(out, recording, &filter);
	order(recording, &filter);
	fclose(out);
	recording_free(recording);
	must(memory_beyond(len) <= MOST_MEMORY);
	return 0;
}
