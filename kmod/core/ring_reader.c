// SPDX-License-Identifier: GPL-2.0
/* The ring's reader: takes packets, acknowledges, flushes and counts; see ring.c. */
#include <linux/atomic.h>
#include <linux/errno.h>
#include <linux/kernel.h>
#include <linux/preempt.h>
#include <linux/string.h>
#include <asm/barrier.h>
#include <asm/byteorder.h>
#include <asm/processor.h>

#include "core/ring.h"
#include "core/ring_parts.h"
#include "lib/clock.h"

#define FLUSH_SPINS	(1U << 12)

/* Reads tail and head at one moment. Returns the packet number of head in full. */
static u64 ring_reader_head_nr(struct kt_ring_cpu *c, u64 *tail)
{
	u64 head;

	do {
		*tail = atomic64_read(&c->tail);
		/* Pairs with the ordered cmpxchg of kt_ring_packet_retire(). */
		smp_rmb();
		head = atomic64_read(&c->head);
		/* As above. */
		smp_rmb();
	} while ((u64)atomic64_read(&c->tail) != *tail);
	return *tail + nr_ahead(word_nr(head), *tail);
}

void kt_ring_acknowledge(struct kt_ring *ring, int cpu, u64 cursor)
{
	struct kt_ring_cpu *c = ring->cpu[cpu];
	u64 tail, head;

	for (;;) {
		head = ring_reader_head_nr(c, &tail);
		if (tail >= cursor || tail >= head)
			return;
		if (!kt_ring_packet_retire(c, tail, &c->acknowledged))
			return;
	}
}

/*
 * Makes every reservation in progress start again, after the time returned. Preemption is
 * off because writers in overwrite mode drop records until the packet is closed.
 */
static u64 ring_reader_flush_head(struct kt_ring_cpu *c)
{
	struct seal seal;
	u64 head, next, now;

	preempt_disable();
	do {
		now = kt_clock();
		head = atomic64_read(&c->head);
		/* Pairs with cmpxchg of head in kt_ring_reserve(). */
		smp_rmb();
		seal.time = local64_read(&c->last);
		seal.discarded = local64_read(&c->dropped_full);
		next = word_offset(head) == EMPTY ? next_epoch(head) : next_packet(head);
	} while ((u64)atomic64_cmpxchg(&c->head, head, next) != head);
	if (word_offset(head) != EMPTY)
		kt_ring_packet_close(c, head, &seal);
	preempt_enable();
	return now;
}

/* Waits for a limited time until all packets below head are complete. */
static bool ring_reader_flush_wait(struct kt_ring_cpu *c)
{
	struct packet packet;
	u64 tail, nr, head = ring_reader_head_nr(c, &tail);
	u32 spins = FLUSH_SPINS;

	for (nr = tail; nr < head; nr++) {
		while (!kt_ring_packet_get(c, nr, &packet) && (u64)atomic64_read(&c->tail) <= nr) {
			if (!spins--)
				return false;
			cpu_relax();
		}
	}
	return true;
}

u64 kt_ring_flush(struct kt_ring *ring, int cpu)
{
	struct kt_ring_cpu *c = ring->cpu[cpu];
	u64 now = ring_reader_flush_head(c);

	return ring_reader_flush_wait(c) ? now : 0;
}

static void ring_reader_header_fill(const struct kt_ring *ring, int cpu,
				    const struct packet *packet, void *data)
{
	struct ktrace_packet *header = data;
	struct ktrace_record *first = data + HEADER_LEN;
	__le64 uuid[2];

	uuid[0] = cpu_to_le64(ring->session);
	uuid[1] = cpu_to_le64(ring->cookie);
	header->magic = KTRACE_CTF_MAGIC;
	header->stream_id = 0;
	memcpy(header->uuid, uuid, sizeof(uuid));
	header->time_begin = first->time;
	header->time_end = packet->seal.time;
	header->content_bits = packet->len * 8;
	header->packet_bits = packet->len * 8;
	header->events_discarded = packet->seal.discarded;
	header->packet_seq = packet->nr;
	header->cpu_id = cpu;
	header->nr_records = packet->nr_records;
}

/* Is the data read from packet nr valid, since no writer has begun to overwrite it? */
static bool ring_reader_packet_is_intact(struct kt_ring_cpu *c, u64 nr)
{
	/* Reads before tail: pairs with the cmpxchg of kt_ring_packet_retire(). */
	smp_rmb();
	return (u64)atomic64_read(&c->tail) <= nr;
}

int kt_ring_packet(struct kt_ring *ring, int cpu, u64 *cursor, const void **data, size_t *len)
{
	struct kt_ring_cpu *c = ring->cpu[cpu];
	struct packet packet;
	u64 tail, head, nr;

	do {
		head = ring_reader_head_nr(c, &tail);
		nr = max(*cursor, tail);
		if (nr >= head)
			return -EAGAIN;
		if (!kt_ring_packet_get(c, nr, &packet)) {
			if (!ring_reader_packet_is_intact(c, nr))
				continue;
			return -EAGAIN;
		}
		if (ring->overwrite)
			packet.data = memcpy(ring->copy, packet.data, packet.len);
	} while (!ring_reader_packet_is_intact(c, nr));
	ring_reader_header_fill(ring, cpu, &packet, packet.data);
	*cursor = nr;
	*data = packet.data;
	*len = packet.len;
	return 0;
}

void kt_ring_counters(struct kt_ring *ring, int cpu, struct ktrace_counters *counters)
{
	struct kt_ring_cpu *c = ring->cpu[cpu];
	u64 acknowledged, overwritten, full, held, head;

	do {
		acknowledged = atomic64_read(&c->acknowledged);
		overwritten = atomic64_read(&c->overwritten);
		/* Both before head: pairs with cmpxchg of kt_ring_packet_retire(). */
		smp_rmb();
		head = atomic64_read(&c->head);
		/* Head before both: as above. */
		smp_rmb();
	} while ((u64)atomic64_read(&c->acknowledged) != acknowledged ||
		 (u64)atomic64_read(&c->overwritten) != overwritten);
	full = local64_read(&c->dropped_full);
	held = (word_count(head) - acknowledged - overwritten) & (COUNT_MASK >> COUNT_SHIFT);

	counters->produced += acknowledged + overwritten + full + held;
	counters->acknowledged += acknowledged;
	counters->held += held;
	counters->dropped += full + overwritten;
	counters->dropped_full += full;
	counters->dropped_overwritten += overwritten;
}
