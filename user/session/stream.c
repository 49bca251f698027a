// SPDX-License-Identifier: GPL-2.0
/*
 * The stream of a session: reads the packets of all CPUs and passes on their events in order of
 * time.
 *
 * A packet is acknowledged once all its events are written. Events may wait for the clock of
 * another CPU, but until the next pass at most, because each pass gives every CPU a new clock, even
 * an idle one.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/merge.h"
#include "session/stream.h"
#include "util/clock.h"
#include "util/mem.h"

struct stream {
	struct ktr_stream *from;
	struct stream_sink sink;
	struct merge *merge;
	uint64_t *next;		/* per CPU: packets before this number are read */
	int error;		/* reading has ended: the stream or the sink failed */
	unsigned int nr_cpus;
	size_t nr_packets;	/* new packets in this pass */
	uint64_t clock;		/* ns; the last pass has read all records before; 0: it failed */
};

struct stream *stream_create(struct ktr *ktr, uint64_t session,
			     const struct stream_sink *sink)
{
	struct stream *stream = mem_alloc(sizeof(*stream));

	stream->sink = *sink;
	stream->error = ktr_stream_open(ktr, session, 0, &stream->from);
	stream->nr_cpus = stream->error ? 0 : ktr_stream_nr_cpus(stream->from);
	stream->next = mem_alloc(stream->nr_cpus * sizeof(*stream->next));
	stream->merge = merge_create(stream->nr_cpus);
	return stream;
}

void stream_free(struct stream *stream)
{
	if (!stream)
		return;
	ktr_stream_close(stream->from);
	merge_free(stream->merge);
	free(stream->next);
	free(stream);
}

/* After a failed pass, a CPU has the clock of its last complete read. */
static void take_clocks(struct stream *stream)
{
	struct ktr_stream_cpu state;
	unsigned int cpu;

	stream->clock = UINT64_MAX;
	for (cpu = 0; cpu < stream->nr_cpus; cpu++) {
		ktr_stream_cpu(stream->from, cpu, &state);
		merge_clock(stream->merge, cpu, state.clock);
		if (state.clock < stream->clock)
			stream->clock = state.clock;
	}
}

static int read_all(struct stream *stream)
{
	struct ktr_packet packet;
	int got = stream->error;

	stream->nr_packets = 0;
	while (!stream->error && (got = ktr_stream_next(stream->from, &packet)) > 0) {
		stream->next[packet.cpu] = packet.number + 1;
		stream->nr_packets++;
		if (stream->sink.event)
			merge_packet(stream->merge, &packet);
	}
	take_clocks(stream);
	if (got)
		stream->clock = 0;
	return got;
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
static void acknowledge(struct stream *stream)
{
	unsigned int cpu;

	for (cpu = 0; cpu < stream->nr_cpus; cpu++)
		ktr_stream_ack(stream->from, cpu,
			       merge_first_held(stream->merge, cpu, stream->next[cpu]));
}

int stream_read(struct stream *stream, size_t *nr_packets)
{
	int error = pass(stream);

	*nr_packets = stream->nr_packets;
	if (!stream->error)
		acknowledge(stream);
	return error;
}

uint64_t stream_clock(const struct stream *stream)
{
	return stream->clock;
}

/* Passes on all events that were read, without waiting for the clock of any CPU. */
static int give_rest(struct stream *stream)
{
	struct ktr_stream_cpu state;
	unsigned int cpu;

	for (cpu = 0; cpu < stream->nr_cpus; cpu++) {
		ktr_stream_cpu(stream->from, cpu, &state);
		merge_end(stream->merge, cpu, state.counters.dropped_full);
	}
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
		acknowledge(stream);
	return error ? error : unwritten;
}

int stream_acknowledge(struct stream *stream)
{
	return stream->error ? stream->error : ktr_stream_sync(stream->from);
}
