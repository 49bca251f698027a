// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of records: they are read, brought into one order, and shown in all formats. Each packet
 * is preceded by its CPU, flags, and its length.
 */
#include "fuzz.h"

#include "../../include/uapi/ktrace_record.h"
#include "../../user/client/client.h"
#include "../../user/report/record.h"
#include "../../user/session/stream.h"
#include "show.h"
#include "../unit/stream_asked.h"

#define NR_CPUS 2
#define IS_RAW 1	/* its header is in the input; otherwise it gets a valid one */
#define HAS_GAP 2
#define IS_AGAIN 4	/* it has the number of the first unacknowledged packet */

static struct input input;
static struct trace trace;
static uint64_t nr_given;

/* --- what the module would say ------------------------------------------ */

int ktr_info_sized(struct ktr *ktr, struct ktr_info *info, size_t len)
{
	(void)ktr;
	memset(info, 0, len);
	info->limits.nr_cpus = NR_CPUS;
	return 0;
}

int ktr_session_get_sized(struct ktr *ktr, uint64_t id, struct ktr_session *session, size_t len)
{
	(void)ktr;
	(void)id;
	(void)len;
	session->sinks = KTRACE_SINK_STREAM;
	return 0;
}

int ktr_func_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_func_fn fn, void *arg)
{
	(void)ktr;
	(void)id;
	(void)flags;
	(void)fn;
	(void)arg;
	return 0;
}

int ktr_row_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_row_fn fn, void *arg)
{
	(void)fn;
	return ktr_func_each(ktr, id, flags, NULL, arg);
}

int ktr_node_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_node_fn fn, void *arg)
{
	(void)fn;
	return ktr_func_each(ktr, id, flags, NULL, arg);
}

static void give_packet(struct ktr *ktr, unsigned int flags)
{
	struct ktrace_packet head = {
		.magic = KTRACE_CTF_MAGIC, .cpu_id = asked.cpu,
		.packet_seq = flags & IS_AGAIN ? asked.cursor : nr_given++,
	};
	size_t len;
	uint8_t *part = take_part(&input, &len), *packet = part;

	if (!(flags & IS_RAW)) {
		head.content_bits = (sizeof(head) + len) * 8;
		head.events_discarded = flags & HAS_GAP ? flags : 0;
		packet = malloc(sizeof(head) + len);
		memcpy(packet, &head, sizeof(head));
		memcpy(packet + sizeof(head), part, len);
		len += sizeof(head);
	}
	ktr_answer_packet(ktr, 0, packet, len);
	if (packet != part)
		free(packet);
	free(part);
}

int ktr_receive(struct ktr *ktr)
{
	unsigned int nr, flags;

	ktr_answer_packet(ktr, input.left ? take(&input, 1) : UINT64_MAX, NULL, 0);
	for (nr = 0; input.left && nr < 4; nr++) {
		flags = take(&input, 1);
		if (flags & 128)
			break;
		give_packet(ktr, flags);
	}
	ktr->is_over = true;
	return 0;
}

/* ------------------------------------------------------------------------ */

/* As all commands with --slow do. */
static void show_slow(void *arg, const struct ktr_record *event)
{
	static char *name = "vfs_read";
	static bool is_fallible = true;
	static const struct names names = { .texts = &name, .are_fallible = &is_fallible, .nr = 1 };
	static const struct stacks stacks;
	const struct record_source source = { .names = &names, .stacks = &stacks };
	struct record record;

	record_parse(&record, event, &source);
	record_print_json(arg, &record);
	if (event->id >= EVENT_SYSCALL && event->id <= EVENT_SAMPLE)
		record_print(arg, &record, 100);
}

static void show_slow_ones(FILE *out)
{
	struct stream_sink sink = { .event = show_slow, .arg = out };
	struct stream *stream = stream_create(&asking, 1, &sink);
	const int is_cancelled = 0;

	must(!stream_finish(stream, &is_cancelled));
	stream_free(stream);
}

static void show(FILE *out)
{
	struct ktr_session session = { .sinks = KTRACE_SINK_STREAM, .start.monotonic = 100 };
	const int is_cancelled = 0;
	struct stream *stream;
	struct names names = { .nr = 0 };
	struct view *view;
	struct err err;
	size_t nr;

	show_names(&names);
	view = view_create(&trace, out, &names, &session, &err);
	must(view);
	stream = stream_create(&asking, 1, view_sink(view));
	stream_read(stream, &nr);
	view_tick(view, UINT64_MAX);
	must(!stream_finish(stream, &is_cancelled));
	stream_free(stream);
	must(!view_finish(view, NULL, &err));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t len)
{
	FILE *out = open_checked();

	nr_given = 0;
	input.at = data;
	input.left = len;
	show_begin(&trace, take(&input, 1));
	show(out);
	input.at = data;
	input.left = len;
	take(&input, 1);
	show_slow_ones(out);
	fclose(out);
	return 0;
}
