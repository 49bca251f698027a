// SPDX-License-Identifier: GPL-2.0
/*
 * Packets of records: they are read, brought into one order, and shown in all formats. Each packet
 * is preceded by its CPU, flags, and its length.
 */
#include "fuzz.h"

#include "../../include/uapi/ktrace_record.h"
#include "../../user/nl/nl_table.h"
#include "../../user/report/record.h"
#include "../../user/session/stream.h"
#include "show.h"

#define NR_CPUS 2
#define IS_RAW 1	/* its header is in the input; otherwise it gets a valid one */
#define HAS_GAP 2
#define IS_AGAIN 4	/* it has the number of the first unacknowledged packet */

static struct input input;
static struct trace trace;
static uint64_t nr_given;

/* --- what the module would say ------------------------------------------ */

int knl_info(struct knl *nl, struct knl_info *info)
{
	(void)nl;
	memset(info, 0, sizeof(*info));
	info->limits.nr_cpus = NR_CPUS;
	return 0;
}

int knl_session_get(struct knl *nl, uint64_t id, struct knl_session *session)
{
	(void)nl;
	(void)id;
	(void)session;
	return 0;
}

int knl_func_each(struct knl *nl, uint64_t id, uint32_t flags, knl_func_fn fn, void *arg)
{
	(void)nl;
	(void)id;
	(void)flags;
	(void)fn;
	(void)arg;
	return 0;
}

int knl_row_each(struct knl *nl, uint64_t id, uint32_t flags, knl_row_fn fn, void *arg)
{
	(void)fn;
	return knl_func_each(nl, id, flags, NULL, arg);
}

int knl_node_each(struct knl *nl, uint64_t id, uint32_t flags, knl_node_fn fn, void *arg)
{
	(void)fn;
	return knl_func_each(nl, id, flags, NULL, arg);
}

static void give_packet(unsigned int cpu, uint64_t cursor, unsigned int flags, knl_packet_fn fn,
			void *arg)
{
	struct ktrace_packet head = {
		.magic = KTRACE_CTF_MAGIC, .cpu_id = cpu,
		.packet_seq = flags & IS_AGAIN ? cursor : nr_given++,
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
	fn(arg, packet, len);
	if (packet != part)
		free(packet);
	free(part);
}

int knl_stream_read(struct knl *nl, uint64_t id, uint32_t cpu, uint64_t cursor, uint32_t flags,
		    struct knl_stream *stream, knl_packet_fn fn, void *arg)
{
	(void)nl;
	(void)id;
	memset(stream, 0, sizeof(*stream));
	stream->clock = input.left ? take(&input, 1) : UINT64_MAX;
	while (fn && input.left && stream->nr_packets < 4) {
		flags = take(&input, 1);
		if (flags & 128)
			break;
		give_packet(cpu, cursor, flags, fn, arg);
		stream->nr_packets++;
	}
	return 0;
}

/* ------------------------------------------------------------------------ */

/* As all commands with --slow do. */
static void show_slow(void *arg, const struct event *event)
{
	static struct kplan_func func;
	static char *name = "vfs_read";
	static const struct kplan plan = { .funcs = &func, .names = { .texts = &name, .nr = 1 }, .nr = 1 };
	static const struct stacks stacks;
	const struct record_source source = {
		.names = &plan.names, .kplan = &plan, .stacks = &stacks,
	};
	struct record record;

	record_parse(&record, event, &source);
	record_print_json(arg, &record);
	if (event->id >= EVENT_SYSCALL && event->id <= EVENT_PERIOD)
		record_print(arg, &record, 100);
}

static void show_slow_ones(FILE *out)
{
	struct stream_sink sink = { .event = show_slow, .arg = out };
	struct stream *stream = stream_create(NULL, 1, &sink);
	const int is_cancelled = 0;

	must(!stream_finish(stream, &is_cancelled));
	stream_free(stream);
}

static void show(FILE *out)
{
	struct knl_session session = { .sinks = KTRACE_SINK_STREAM, .start.monotonic = 100 };
	const int is_cancelled = 0;
	struct stream *stream;
	struct names names;
	struct view *view;
	struct err err;
	size_t nr;

	show_names(&names);
	view = view_create(&trace, out, &names, &session, &err);
	must(view);
	stream = stream_create(NULL, 1, view_sink(view));
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
