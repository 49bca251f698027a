// SPDX-License-Identifier: GPL-2.0
/*
 * The stream of a session: reads the packets of all CPUs and passes on their events in order of
 * time.
 *
 * A request for packets names the first packet to send, and the module reuses the space of all
 * packets before it. So a request names the first packet whose events are not all written. Events
 * of this packet may still wait for the clock of another CPU. The module then sends the packet
 * again, and is_new() refuses it. Events wait until the next pass at most, because each flush gives
 * every CPU a new clock, even an idle one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/merge.h"
#include "session/stream.h"
#include "uapi/ktrace_record.h"
#include "util/clock.h"
#include "util/mem.h"

/* The state of one CPU, as numbers of packets. */
struct cursor {
	uint64_t written;	/* the events of all packets before this number are written */
	uint64_t next;		/* all packets before this number are read */
	uint64_t discarded;	/* records lost until the last pass */
};

struct stream {
	struct knl *nl;
	uint64_t session;
	struct stream_sink sink;
	struct merge *merge;
	struct cursor *cursors;
	int error;		/* reading has ended: knl_info() or the sink failed */
	unsigned int nr_cpus;
	unsigned int cpu;	/* the CPU being read */
	size_t nr_packets;	/* new packets in this pass */
	uint64_t clock;		/* ns; the last pass has read all records before; 0: it failed */
};

struct stream *stream_create(struct knl *nl, uint64_t session,
			     const struct stream_sink *sink)
{
	struct stream *stream = mem_alloc(sizeof(*stream));
	struct knl_info info;

	stream->nl = nl;
	stream->session = session;
	stream->sink = *sink;
	stream->error = knl_info(nl, &info);
	stream->nr_cpus = stream->error ? 0 : info.limits.nr_cpus;
	stream->cursors = mem_alloc(stream->nr_cpus * sizeof(*stream->cursors));
	stream->merge = merge_create(stream->nr_cpus);
	return stream;
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	merge_free(stream->merge);
	free(stream->cursors);
	free(stream);
}

static bool is_new(struct cursor *cursor, const struct ktrace_packet *head)
{
	if (head->packet_seq < cursor->next)
		return false;
	cursor->next = head->packet_seq + 1;
	return true;
}

static void take_packet(void *arg, const void *packet, size_t len)
{
	struct stream *stream = arg;
	struct ktrace_packet head;

	if (len < sizeof(head))
		return;
	memcpy(&head, packet, sizeof(head));
	if (!is_new(&stream->cursors[stream->cpu], &head))
		return;
	stream->nr_packets++;
	if (stream->sink.event)
		merge_packet(stream->merge, stream->cpu, packet, len);
}

/* A CPU that is not possible on this machine has no stream. */
static bool is_missing(int error)
{
	return error == -EINVAL;
}

/* After a failed read its clock must not be used: packets from before it may be missing. */
static int read_cpu(struct stream *stream, unsigned int cpu)
{
	struct knl_stream read;
	int error;

	stream->cpu = cpu;
	error = knl_stream_read(stream->nl, stream->session, cpu, stream->cursors[cpu].written,
				KTRACE_READ_FLUSH, &read, take_packet, stream);
	if (is_missing(error)) {
		merge_clock(stream->merge, cpu, UINT64_MAX);
		return 0;
	}
	if (error)
		return error;
	merge_clock(stream->merge, cpu, read.clock);
	stream->cursors[cpu].discarded = read.counters.dropped_full;
	if (read.clock < stream->clock)
		stream->clock = read.clock;
	return 0;
}

static int read_all(struct stream *stream)
{
	unsigned int cpu;
	int error = stream->error;

	stream->nr_packets = 0;
	stream->clock = UINT64_MAX;
	for (cpu = 0; cpu < stream->nr_cpus && !error; cpu++)
		error = read_cpu(stream, cpu);
	if (error)
		stream->clock = 0;
	return error;
}

/* Reads the packets, then the names that their records use. */
static int read_known(struct stream *stream)
{
	int error = read_all(stream);

	if (!error && stream->nr_packets && stream->sink.look)
		error = stream->sink.look(stream->sink.arg);
	return error;
}

static void drain(struct stream *stream)
{
	if (stream->sink.event)
		merge_drain(stream->merge, stream->sink.event, stream->sink.arg);
}

/* A failed write ends reading: another read would acknowledge records that are not written. */
static int flush(struct stream *stream)
{
	if (!stream->error && stream->sink.flush && !stream->sink.flush(stream->sink.arg))
		stream->error = -EIO;
	return stream->error;
}

/* Passes on and writes the events that were read, even if a CPU could not be read. */
static int pass(struct stream *stream)
{
	int error = read_known(stream), unwritten;

	drain(stream);
	unwritten = flush(stream);
	return error ? error : unwritten;
}

/* Called after a flush. Packets with events that wait for another CPU stay unacknowledged. */
static void move_cursors(struct stream *stream)
{
	struct cursor *cursor;
	unsigned int cpu;

	for (cpu = 0; cpu < stream->nr_cpus; cpu++) {
		cursor = &stream->cursors[cpu];
		cursor->written = merge_first_held(stream->merge, cpu, cursor->next);
	}
}

int stream_read(struct stream *stream, size_t *nr_packets)
{
	int error = pass(stream);

	*nr_packets = stream->nr_packets;
	if (!stream->error)
		move_cursors(stream);
	return error;
}

uint64_t stream_clock(const struct stream *stream)
{
	return stream->clock;
}

/* Passes on all events that were read, without waiting for the clock of any CPU. */
static int give_rest(struct stream *stream)
{
	unsigned int cpu;

	for (cpu = 0; cpu < stream->nr_cpus; cpu++)
		merge_end(stream->merge, cpu, stream->cursors[cpu].discarded);
	drain(stream);
	return flush(stream);
}

/* The rings contain all these records already, so their space need not be freed between passes. */
int stream_finish(struct stream *stream, const volatile int *is_cancelled)
{
	uint64_t until = clock_now_ns();
	int error, unwritten;

	do {
		error = pass(stream);
		if (!error && *is_cancelled)
			error = -EINTR;
	} while (!error && stream->clock < until);
	unwritten = give_rest(stream);
	if (!unwritten)
		move_cursors(stream);
	return error ? error : unwritten;
}

/* A read acknowledges all packets before its cursor. */
int stream_acknowledge(struct stream *stream)
{
	struct knl_stream read;
	unsigned int cpu;
	int error = stream->error;

	for (cpu = 0; cpu < stream->nr_cpus && !error; cpu++) {
		error = knl_stream_read(stream->nl, stream->session, cpu,
					stream->cursors[cpu].written, 0, &read, NULL, NULL);
		if (is_missing(error))
			error = 0;
	}
	return error;
}
