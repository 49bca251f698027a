// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "mem.h"
#include "merge.h"
#include "stream.h"

struct stream {
	struct knl *nl;
	uint64_t session;
	struct stream_sink sink;
	struct merge *merge;
	uint64_t *cursors;
	int error;		/* no more is read: the CPUs are not known, or writing failed */
	unsigned int nr_cpus;
	unsigned int cpu;	/* being read */
	uint64_t clock;		/* up to which the last pass over all CPUs has read */
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

static void take_packet(void *arg, const void *packet, size_t len)
{
	struct stream *stream = arg;

	if (stream->sink.event)
		merge_packet(stream->merge, stream->cpu, packet, len);
}

/* CPUs that are not possible on this machine have no stream. */
static bool is_missing(int error)
{
	return error == -EINVAL;
}

static int read_cpu(struct stream *stream, unsigned int cpu, size_t *nr_packets)
{
	struct knl_stream read;
	int error;

	stream->cpu = cpu;
	error = knl_stream_read(stream->nl, stream->session, cpu, stream->cursors[cpu],
				KTRACE_READ_FLUSH, &read, take_packet, stream);
	if (is_missing(error)) {
		merge_clock(stream->merge, cpu, UINT64_MAX);
		return 0;
	}
	stream->cursors[cpu] = read.next;
	*nr_packets += read.nr_packets;
	merge_clock(stream->merge, cpu, read.clock);
	if (read.clock < stream->clock)
		stream->clock = read.clock;
	return error;
}

static int read_all(struct stream *stream, size_t *nr_packets)
{
	unsigned int cpu;
	int error = stream->error;

	*nr_packets = 0;
	stream->clock = error ? 0 : UINT64_MAX;
	for (cpu = 0; cpu < stream->nr_cpus && !error; cpu++)
		error = read_cpu(stream, cpu, nr_packets);
	return error;
}

/* What records stand for was there before them. */
static int read_known(struct stream *stream, size_t *nr_packets)
{
	int error = read_all(stream, nr_packets);

	if (!error && *nr_packets && stream->sink.look)
		error = stream->sink.look(stream->sink.arg);
	return error;
}

static void drain(struct stream *stream)
{
	if (stream->sink.event)
		merge_drain(stream->merge, stream->sink.event, stream->sink.arg);
}

/* A read after one that failed would acknowledge what is not written. */
static int flush(struct stream *stream)
{
	if (stream->sink.flush && !stream->sink.flush(stream->sink.arg))
		stream->error = -EIO;
	return stream->error;
}

int stream_read(struct stream *stream, size_t *nr_packets)
{
	int error = read_known(stream, nr_packets);

	drain(stream);
	return error ? error : flush(stream);
}

uint64_t stream_clock(const struct stream *stream)
{
	return stream->clock;
}

/* Each read of a CPU acknowledges what the one before gave. */
static void acknowledge(struct stream *stream)
{
	struct knl_stream read;
	unsigned int cpu;

	for (cpu = 0; cpu < stream->nr_cpus; cpu++)
		knl_stream_read(stream->nl, stream->session, cpu, stream->cursors[cpu], 0, &read,
				NULL, NULL);
}

static uint64_t now_ns(void)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	return now.tv_sec * 1000000000ULL + now.tv_nsec;
}

int stream_finish(struct stream *stream, const volatile int *is_cancelled)
{
	uint64_t until = now_ns();
	size_t nr_packets;
	unsigned int cpu;
	int error;

	do {
		error = read_known(stream, &nr_packets);
		drain(stream);
		if (!error)
			error = flush(stream);
		if (!error && *is_cancelled)
			error = -EINTR;
	} while (!error && stream->clock < until);
	for (cpu = 0; cpu < stream->nr_cpus; cpu++)
		merge_clock(stream->merge, cpu, UINT64_MAX);
	drain(stream);
	if (!error)
		error = flush(stream);
	if (!error)
		acknowledge(stream);
	return error;
}
