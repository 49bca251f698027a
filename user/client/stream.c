// SPDX-License-Identifier: GPL-2.0
/*
 * Reads the packets of a session's stream.
 *
 * A request names a CPU, the first packet that is not acknowledged, and the first that was not given
 * to the caller. The module drops those before the former, and sends those from the latter on. The
 * dump of one CPU stays open between two calls, so the stream has a socket of its own. It has room
 * for the packets of one datagram, which are copied, because netlink aligns them to 4 bytes only.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "client/parts.h"

struct cpu {
	uint64_t acked;		/* packets before this number are acknowledged */
	uint64_t next;		/* packets before this number were given to the caller */
	struct ktr_stream_cpu state;
};

struct ktr_stream {
	struct ktr *ktr;	/* of this stream only */
	struct ktr *opener;	/* has the text of the last refusal, for ktr_reason() */
	uint64_t session;
	uint32_t read_flags;	/* KTRACE_READ_* */
	struct cpu *cpus;
	unsigned int nr_cpus;
	unsigned int cpu;	/* the CPU that is read, or will be next */
	bool is_begun;		/* it is read in this pass ... */
	bool is_reading;	/* ... and its dump is open, */
	struct ktr_stream_cpu begun;	/* which gives this state */
	size_t given, end;	/* bytes of packets that were given, and that there are */
	uint64_t packets[KTR_RECEIVE_LEN / sizeof(uint64_t)];
};

/* A packet in stream->packets, in front of its bytes. */
struct stored {
	uint64_t len;
	uint64_t words[];
};

/* --- one CPU -------------------------------------------------------------------------- */

static size_t stored_len(size_t len)
{
	return sizeof(struct stored) + (len + 7) / 8 * 8;
}

/*
 * The packets of a datagram fit: each has a longer head there, and all are in KTR_RECEIVE_LEN. If
 * one did not, the read would fail, and the next would have it again.
 */
static void store(struct ktr_stream *stream, const struct nlattr *packet)
{
	struct stored *stored = (void *)((char *)stream->packets + stream->end);
	size_t len = nla_len(packet);

	if (len < sizeof(struct ktrace_packet))
		return;
	if (stored_len(len) > sizeof(stream->packets) - stream->end) {
		stream->ktr->error = -EPROTO;
		stream->ktr->is_over = true;
		return;
	}
	stored->len = len;
	memcpy(stored->words, nla_data(packet), len);
	stream->end += stored_len(len);
}

static void take_packet(struct ktr *ktr, struct nlattr **attrs)
{
	struct ktr_stream *stream = ktr->out;

	if (attrs[KTRACE_A_COUNTERS]) {
		stream->begun.clock = ktr_u64(attrs[KTRACE_A_CLOCK]);
		ktr_struct(&stream->begun.counters, sizeof(stream->begun.counters),
			   attrs[KTRACE_A_COUNTERS], 0);
	}
	if (attrs[KTRACE_A_PACKET])
		store(stream, attrs[KTRACE_A_PACKET]);
}

static int begin(struct ktr_stream *stream, uint32_t flags)
{
	struct nl_msg *msg = ktr_request(stream->ktr, KTRACE_CMD_STREAM_READ, NLM_F_DUMP);
	struct cpu *cpu = &stream->cpus[stream->cpu];

	stream->given = stream->end = 0;
	memset(&stream->begun, 0, sizeof(stream->begun));
	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, stream->session) ||
	    nla_put_u32(msg, KTRACE_A_CPU, stream->cpu) ||
	    nla_put_u64(msg, KTRACE_A_CURSOR, cpu->next) ||
	    nla_put_u64(msg, KTRACE_A_KEEP, cpu->acked) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, flags))
		return ktr_drop(msg);
	stream->ktr->answer = take_packet;
	stream->ktr->out = stream;
	stream->is_reading = stream->is_begun = true;
	return ktr_send(stream->ktr, msg);
}

/* The dump of a CPU has ended. A CPU that is not possible on this machine has no stream. */
static int end(struct ktr_stream *stream, int error)
{
	stream->is_reading = false;
	if (error == -EINVAL) {
		stream->begun.clock = UINT64_MAX;
		return 0;
	}
	if (error)
		ktr_keep_said(stream->opener, stream->ktr);
	return error;
}

/* Receives one datagram. */
static int receive(struct ktr_stream *stream)
{
	int error;

	stream->given = stream->end = 0;
	error = ktr_receive(stream->ktr);
	if (error || stream->ktr->is_over)
		return end(stream, error ? error : stream->ktr->error);
	return 0;
}

/* Receives the rest of a dump. Packets that were not given to the caller will be sent again. */
static int finish(struct ktr_stream *stream)
{
	int error = 0;

	while (!error && stream->is_reading)
		error = receive(stream);
	stream->given = stream->end = 0;
	return error;
}

/* --- the stream ----------------------------------------------------------------------- */

static int connect_again(struct ktr_stream *stream, const struct ktr *ktr)
{
	stream->ktr = calloc(1, sizeof(*stream->ktr));
	if (!stream->ktr)
		return -ENOMEM;
	stream->ktr->family = ktr->family;
	return ktr_open_socket(stream->ktr);
}

/* Without records, each CPU would look like one that is not possible. */
static int check_session(struct ktr *ktr, uint64_t id)
{
	struct ktr_session session;
	int error = ktr_session_get(ktr, id, &session);

	return error ? error : session.sinks & KTRACE_SINK_STREAM ? 0 : -ENODATA;
}

static int set_up(struct ktr_stream *stream, struct ktr *ktr)
{
	struct ktr_info info;
	int error = ktr_info(ktr, &info);

	if (!error)
		error = check_session(ktr, stream->session);
	if (!error)
		error = connect_again(stream, ktr);
	if (error)
		return error;
	stream->nr_cpus = info.limits.nr_cpus;
	stream->cpus = calloc((size_t)stream->nr_cpus + 1, sizeof(*stream->cpus));
	return stream->cpus ? 0 : -ENOMEM;
}

int ktr_stream_open(struct ktr *ktr, uint64_t session, unsigned int flags, struct ktr_stream **to)
{
	struct ktr_stream *stream;
	int error;

	*to = NULL;
	if (flags & ~KTR_CLOSED_PACKETS)
		return -EINVAL;
	stream = calloc(1, sizeof(*stream));
	if (!stream)
		return -ENOMEM;
	stream->opener = ktr;
	stream->session = session;
	stream->read_flags = flags & KTR_CLOSED_PACKETS ? 0 : KTRACE_READ_FLUSH;
	error = set_up(stream, ktr);
	if (error)
		ktr_stream_close(stream);
	else
		*to = stream;
	return error;
}

void ktr_stream_set_flags(struct ktr_stream *stream, unsigned int flags)
{
	stream->read_flags = flags & KTR_CLOSED_PACKETS ? 0 : KTRACE_READ_FLUSH;
}

void ktr_stream_close(struct ktr_stream *stream)
{
	if (!stream)
		return;
	ktr_close(stream->ktr);
	free(stream->cpus);
	free(stream);
}

/* Takes the next packet that is stored and new. Returns false if there is none. */
static bool give_packet(struct ktr_stream *stream, struct ktr_packet *packet)
{
	struct cpu *cpu = &stream->cpus[stream->cpu];
	const struct ktrace_packet *head;
	const struct stored *stored;

	while (stream->given < stream->end) {
		stored = (const void *)((const char *)stream->packets + stream->given);
		stream->given += stored_len(stored->len);
		head = (const void *)stored->words;
		if (head->packet_seq < cpu->next)
			continue;
		cpu->next = head->packet_seq + 1;
		*packet = ktr_packet_of(head, stored->len);
		packet->cpu = stream->cpu;
		return true;
	}
	return false;
}

/* The next pass begins with the first CPU. */
static int end_pass(struct ktr_stream *stream, int error)
{
	stream->cpu = 0;
	stream->is_begun = stream->is_reading = false;
	stream->given = stream->end = 0;
	return error;
}

/* All packets of a CPU were given. */
static void end_cpu(struct ktr_stream *stream)
{
	stream->cpus[stream->cpu++].state = stream->begun;
	stream->is_begun = false;
}

int ktr_stream_next(struct ktr_stream *stream, struct ktr_packet *packet)
{
	int error = 0;

	while (!error) {
		if (stream->cpu < stream->nr_cpus && give_packet(stream, packet))
			return 1;
		if (stream->is_begun && !stream->is_reading)
			end_cpu(stream);
		if (stream->cpu == stream->nr_cpus)
			break;
		error = stream->is_begun ? receive(stream) : begin(stream, stream->read_flags);
	}
	return end_pass(stream, error);
}

unsigned int ktr_stream_nr_cpus(const struct ktr_stream *stream)
{
	return stream->nr_cpus;
}

int ktr_stream_cpu_sized(const struct ktr_stream *stream, unsigned int cpu,
			 struct ktr_stream_cpu *state, size_t len)
{
	if (cpu >= stream->nr_cpus)
		return -EINVAL;
	ktr_give(state, len, &stream->cpus[cpu].state, sizeof(stream->cpus[cpu].state));
	return 0;
}

void ktr_stream_ack(struct ktr_stream *stream, unsigned int cpu, uint64_t below)
{
	if (cpu >= stream->nr_cpus || below <= stream->cpus[cpu].acked)
		return;
	stream->cpus[cpu].acked = below;
	/* What was never read can be acknowledged, too. */
	if (stream->cpus[cpu].next < below)
		stream->cpus[cpu].next = below;
}

/*
 * A request for a CPU acknowledges. What it sends is not looked at. The pass goes on with the next
 * CPU: after each packet of a busy one, the others would never be read.
 */
int ktr_stream_sync(struct ktr_stream *stream)
{
	unsigned int next = stream->cpu + stream->is_begun;
	int error = finish(stream);

	for (stream->cpu = 0; !error && stream->cpu < stream->nr_cpus; stream->cpu++) {
		error = begin(stream, 0);
		if (!error)
			error = finish(stream);
	}
	end_pass(stream, 0);
	stream->cpu = error ? 0 : next;
	return error;
}

int ktr_stream_rewind(struct ktr_stream *stream)
{
	int error = finish(stream);
	unsigned int cpu;

	for (cpu = 0; cpu < stream->nr_cpus; cpu++) {
		stream->cpus[cpu].next = stream->cpus[cpu].acked;
		stream->cpus[cpu].state.clock = 0;
	}
	return end_pass(stream, error);
}
