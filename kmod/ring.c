// SPDX-License-Identifier: GPL-2.0
/*
 * The ring: per CPU, nr_subbufs sub-buffers in a circle, each a CTF packet.
 *
 *   packet    tail                                  head
 *   number      5          6          7              8
 *         +----------+----------+----------+   +----------+----------+
 *         | complete | complete | closed,  |...| open     | free     |
 *         |          |          | a writer |   |          |          |
 *         |          |          | inside   |   |     ^    |          |
 *         +----------+----------+----------+   +-----|----+----------+
 *          ^ the reader takes here                   writers put here
 *
 * Packets are numbered from 0 for ever; number n lives in sub-buffer
 * n % nr_subbufs. Writers run on the ring's own CPU, nested in each other at
 * any instruction (task, interrupt, NMI). The reader runs on any CPU. Nobody
 * ever waits for anybody, but flush, which gives up after a while.
 *
 * All that a reservation decides is in one word, changed by cmpxchg only:
 *
 *   head: 63        37 36      27 26                11 10            0
 *        +------------+----------+--------------------+---------------+
 *        | records    | epoch    | packet number,     | offset of the |
 *        | put so far |          | low 16 bits        | next record/8 |
 *        +------------+----------+--------------------+---------------+
 *
 * So a success of cmpxchg gives a record its place, its packet and its count
 * in the same instant. An offset just behind the header (EMPTY) is a packet
 * without a record, for which no sub-buffer has been claimed yet: this is
 * why the last packet can be closed while the ring is full. The epoch makes
 * a flush that finds nothing to close visible to a writer under way.
 *
 * A packet's life, and who writes what:
 *
 *   open     the writer of its first record: begin = head before it
 *   commit   each writer: committed += its length; starts from 0 if
 *            committed still has the number of the previous packet
 *   close    the writer whose record did not fit, or flush: end = head before
 *   retire   tail + 1 by cmpxchg: by the reader, when acknowledged, or by a
 *            writer in overwrite mode. Only complete packets retire.
 *
 * A packet is complete when begin, end and committed all bear its number and
 * committed reaches end. They may be written in any order, and none of them
 * can be late for the next use of the sub-buffer, since that waits for them.
 * A writer that finds the oldest packet incomplete (it must be nested in the
 * writer inside, or flush is half way through on another CPU) drops its record.
 *
 * Time never steps back: in the reserve loop, "last" is raised to the record's
 * time after head was read and before head is changed. If head was not changed
 * meanwhile, every earlier record's time was in "last" already.
 *
 * Accounting: of the records put (the count in head), acknowledged and
 * overwritten ones are counted when their packet retires, and the rest is
 * held. So produced = acknowledged + dropped + held needs no second count that
 * could disagree, only a moment at which head is read while the other two
 * stand still.
 *
 * Overwrite mode: the reader copies a packet and looks whether it has retired
 * meanwhile. Swapping with a spare sub-buffer would spare the copy, but a dump
 * hands out many packets before the first is acknowledged, so that one spare
 * does not protect them, while a copy leaves writers nothing to know of. A
 * packet that was handed out but retired by a writer before it was
 * acknowledged counts as overwritten: whether it arrived is not known.
 *
 * Memory comes in pages of the direct map, not vmalloc: an NMI must not fault.
 */
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/preempt.h>
#include <linux/slab.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/topology.h>
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/log2.h>
#include <asm/barrier.h>
#include <asm/byteorder.h>
#include <asm/local64.h>
#include <asm/processor.h>

#include <uapi/ktrace.h>
#include <uapi/ktrace_record.h>

#include "clock.h"
#include "mem.h"
#include "ring.h"

#define HEADER_LEN	sizeof(struct ktrace_packet)
#define SUBBUF_ORDER	get_order(KTRACE_PACKET_LEN)

#define NR_BITS		16
#define NR_SHIFT	11
#define EPOCH_SHIFT	27
#define COUNT_SHIFT	37

#define OFFSET_MASK	((1ULL << NR_SHIFT) - 1)
#define NR_ONE		(1ULL << NR_SHIFT)
#define NR_MASK		((1ULL << EPOCH_SHIFT) - NR_ONE)
#define EPOCH_ONE	(1ULL << EPOCH_SHIFT)
#define EPOCH_MASK	((1ULL << COUNT_SHIFT) - EPOCH_ONE)
#define COUNT_ONE	(1ULL << COUNT_SHIFT)
#define COUNT_MASK	(~(COUNT_ONE - 1))

#define EMPTY		(HEADER_LEN / 8)
#define FULL		(KTRACE_PACKET_LEN / 8)

#define FLUSH_SPINS	(1U << 12)

struct kt_ring_subbuf {
	atomic64_t begin;	/* head when its first record was put */
	atomic64_t end;		/* head when it was closed */
	local64_t committed;	/* packet number, 8-byte words committed */
	u64 time_end;		/* of the closed packet: written before end */
	u64 discarded;
	void *data;
};

/* What a packet says of the moment it was closed. */
struct seal {
	u64 time;
	u64 discarded;
};

/* A complete packet. */
struct packet {
	u64 nr;
	size_t len;
	u32 nr_records;
	struct seal seal;
	void *data;
};

struct kt_ring_cpu {
	atomic64_t head;
	local64_t last;		/* time of the newest record; this CPU only */
	local64_t dropped_full;	/* this CPU only */
	u32 nr_subbufs;
	bool overwrite;
	struct kt_ring_subbuf *subbuf;
	/* Moves once a packet. */
	atomic64_t tail ____cacheline_aligned;
	atomic64_t acknowledged;
	atomic64_t overwritten;
};

struct kt_ring {
	u32 nr_subbufs;
	bool overwrite;
	u64 session;
	u64 cookie;
	void *copy;		/* overwrite mode: the packet handed out */
	struct kt_ring_cpu *cpu[];	/* nr_cpu_ids */
};

static u64 word_nr(u64 word)
{
	return (word & NR_MASK) >> NR_SHIFT;
}

static u64 word_offset(u64 word)
{
	return word & OFFSET_MASK;
}

static u64 word_count(u64 word)
{
	return word >> COUNT_SHIFT;
}

/* How far packet number low (of a word) is ahead of nr. */
static u64 nr_ahead(u64 low, u64 nr)
{
	return (low - nr) & (NR_MASK >> NR_SHIFT);
}

static bool is_same_packet(u64 a, u64 b)
{
	return !((a ^ b) & NR_MASK);
}

/* The packet after that of word, without a record yet. */
static u64 next_packet(u64 word)
{
	return (word & COUNT_MASK) | ((word + NR_ONE) & (EPOCH_MASK | NR_MASK)) | EMPTY;
}

static u64 next_epoch(u64 word)
{
	return (word & ~EPOCH_MASK) | ((word + EPOCH_ONE) & EPOCH_MASK);
}

static struct kt_ring_subbuf *subbuf_of(struct kt_ring_cpu *c, u64 nr)
{
	return &c->subbuf[nr & (c->nr_subbufs - 1)];
}

/* Is packet nr, which is not below tail and below head, complete? */
static bool packet_get(struct kt_ring_cpu *c, u64 nr, struct packet *packet)
{
	struct kt_ring_subbuf *s = subbuf_of(c, nr);
	u64 begin = atomic64_read(&s->begin);
	u64 end = atomic64_read(&s->end);
	u64 committed = local64_read(&s->committed);

	if (word_nr(begin) != (nr & (NR_MASK >> NR_SHIFT)) || !is_same_packet(begin, end) ||
	    !is_same_packet(begin, committed) ||
	    word_offset(committed) != word_offset(end) - EMPTY)
		return false;
	/* Pairs with smp_wmb() in kt_ring_commit() and in packet_close(). */
	smp_rmb();
	packet->nr = nr;
	packet->len = word_offset(end) * 8;
	packet->nr_records = (word_count(end) - word_count(begin)) & (COUNT_MASK >> COUNT_SHIFT);
	packet->seal.time = s->time_end;
	packet->seal.discarded = s->discarded;
	packet->data = s->data;
	return true;
}

/*
 * Gives the sub-buffer of the oldest packet back; its records go to counter.
 * False: it is not complete. True: it is gone, if only by somebody else.
 */
static bool packet_retire(struct kt_ring_cpu *c, u64 tail, atomic64_t *counter)
{
	struct packet packet;

	if (!packet_get(c, tail, &packet))
		return false;
	/*
	 * Fully ordered: the reader is through with the packet before, a writer
	 * writes after. For a copying reader, pairs with packet_is_intact().
	 */
	if ((u64)atomic64_cmpxchg(&c->tail, tail, tail + 1) == tail)
		atomic64_add(packet.nr_records, counter);
	return true;
}

/* May a record be put into the empty packet of word? */
static bool has_room(struct kt_ring_cpu *c, u64 word)
{
	u64 tail = atomic64_read(&c->tail);

	if (nr_ahead(word_nr(word), tail) < c->nr_subbufs)
		return true;
	return c->overwrite && packet_retire(c, tail, &c->overwritten);
}

/* Where a record goes: head, or the next packet; 0 when there is no room. */
static u64 place_record(struct kt_ring_cpu *c, u64 head, size_t words)
{
	u64 start = head;

	if (words > FULL - EMPTY)
		return 0;
	if (word_offset(head) + words > FULL)
		start = next_packet(head);
	if (word_offset(start) == EMPTY && !has_room(c, start))
		return 0;
	return start;
}

/* The time of a new record; the seal is that of all records before it. */
static u64 clock_forward(struct kt_ring_cpu *c, struct seal *seal)
{
	u64 last, now;

	do {
		last = local64_read(&c->last);
		now = kt_clock();
		if (now < last)
			now = last;
	} while ((u64)local64_cmpxchg(&c->last, last, now) != last);
	seal->time = last;
	seal->discarded = local64_read(&c->dropped_full);
	return now;
}

static void packet_open(struct kt_ring_cpu *c, u64 start)
{
	atomic64_set(&subbuf_of(c, word_nr(start))->begin, start);
}

/* Whoever moved head from this packet to the next. */
static void packet_close(struct kt_ring_cpu *c, u64 head, const struct seal *seal)
{
	struct kt_ring_subbuf *s = subbuf_of(c, word_nr(head));

	s->time_end = seal->time;
	s->discarded = seal->discarded;
	/* Pairs with smp_rmb() in packet_get(). */
	smp_wmb();
	atomic64_set(&s->end, head);
}

static void slot_set(struct kt_ring_slot *slot, struct kt_ring_cpu *c, u64 start, size_t words)
{
	slot->subbuf = subbuf_of(c, word_nr(start));
	slot->data = slot->subbuf->data + word_offset(start) * 8;
	slot->cpu = c;
	slot->mark = (start & NR_MASK) | words;
}

bool kt_ring_reserve(struct kt_ring *ring, size_t len, struct kt_ring_slot *slot)
{
	struct kt_ring_cpu *c = ring->cpu[smp_processor_id()];
	size_t words = len / 8;
	struct seal seal;
	u64 head, start;

	for (;;) {
		head = atomic64_read(&c->head);
		/* last after head: pairs with cmpxchg of head in flush_head(). */
		smp_rmb();
		slot->time = clock_forward(c, &seal);
		start = place_record(c, head, words);
		if (start) {
			if ((u64)atomic64_cmpxchg(&c->head, head,
						  start + COUNT_ONE + words) == head)
				break;
		} else if ((u64)atomic64_read(&c->head) == head) {
			local64_inc(&c->dropped_full);
			return false;
		}
	}
	slot->is_switch = start != head;
	if (word_offset(start) == EMPTY)
		packet_open(c, start);
	if (start != head)
		packet_close(c, head, &seal);
	slot_set(slot, c, start, words);
	return true;
}

bool kt_ring_commit(struct kt_ring *ring, struct kt_ring_slot *slot)
{
	struct kt_ring_subbuf *s = slot->subbuf;
	u64 old, new;

	/* The record before its commit: pairs with smp_rmb() in packet_get(). */
	smp_wmb();
	do {
		old = local64_read(&s->committed);
		new = slot->mark;
		if (is_same_packet(old, new))
			new = old + word_offset(new);
	} while ((u64)local64_cmpxchg(&s->committed, old, new) != old);
	return slot->is_switch || !is_same_packet(atomic64_read(&slot->cpu->head), slot->mark);
}

bool kt_ring_is_filling(struct kt_ring *ring)
{
	struct kt_ring_cpu *c = ring->cpu[smp_processor_id()];
	u64 tail = atomic64_read(&c->tail);

	return nr_ahead(word_nr(atomic64_read(&c->head)), tail) >= c->nr_subbufs / 4;
}

/* A moment at which tail and head belong together; head as a whole number. */
static u64 head_nr(struct kt_ring_cpu *c, u64 *tail)
{
	u64 head;

	do {
		*tail = atomic64_read(&c->tail);
		/* Pairs with the ordered cmpxchg of packet_retire(). */
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
		head = head_nr(c, &tail);
		if (tail >= cursor || tail >= head)
			return;
		if (!packet_retire(c, tail, &c->acknowledged))
			return;
	}
}

/*
 * Makes every reservation under way start again, after now. Preemption is off
 * because writers in overwrite mode drop records until the packet is closed.
 */
static u64 flush_head(struct kt_ring_cpu *c)
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
		packet_close(c, head, &seal);
	preempt_enable();
	return now;
}

/* Waits until all packets below the head are complete, but not for ever. */
static bool flush_wait(struct kt_ring_cpu *c)
{
	struct packet packet;
	u64 tail, nr, head = head_nr(c, &tail);
	u32 spins = FLUSH_SPINS;

	for (nr = tail; nr < head; nr++) {
		while (!packet_get(c, nr, &packet) && (u64)atomic64_read(&c->tail) <= nr) {
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
	u64 now = flush_head(c);

	return flush_wait(c) ? now : 0;
}

static void header_fill(const struct kt_ring *ring, int cpu, const struct packet *packet,
			void *data)
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

/* Has nobody begun to overwrite what was read of packet nr? */
static bool packet_is_intact(struct kt_ring_cpu *c, u64 nr)
{
	/* Reads before tail: pairs with the cmpxchg of packet_retire(). */
	smp_rmb();
	return (u64)atomic64_read(&c->tail) <= nr;
}

int kt_ring_packet(struct kt_ring *ring, int cpu, u64 *cursor, const void **data, size_t *len)
{
	struct kt_ring_cpu *c = ring->cpu[cpu];
	struct packet packet;
	u64 tail, head, nr;

	do {
		head = head_nr(c, &tail);
		nr = max(*cursor, tail);
		if (nr >= head)
			return -EAGAIN;
		if (!packet_get(c, nr, &packet)) {
			if (!packet_is_intact(c, nr))
				continue;
			return -EAGAIN;
		}
		if (ring->overwrite)
			packet.data = memcpy(ring->copy, packet.data, packet.len);
	} while (!packet_is_intact(c, nr));
	header_fill(ring, cpu, &packet, packet.data);
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
		/* Both before head: pairs with cmpxchg of packet_retire(). */
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

static void subbuf_free(struct kt_ring_subbuf *s)
{
	free_pages((unsigned long)s->data, SUBBUF_ORDER);
}

static bool subbuf_alloc(struct kt_ring_subbuf *s, int cpu, u64 last_nr)
{
	gfp_t flags = GFP_KERNEL | __GFP_NOWARN | __GFP_ZERO;
	struct page *page = alloc_pages_node(cpu_to_node(cpu), flags, SUBBUF_ORDER);
	u64 word = (last_nr << NR_SHIFT) & NR_MASK;

	if (!page)
		return false;
	s->data = page_address(page);
	/* As if a packet one round earlier had been here. */
	atomic64_set(&s->begin, word);
	atomic64_set(&s->end, word);
	local64_set(&s->committed, word);
	return true;
}

static void ring_cpu_free(struct kt_ring_cpu *c)
{
	u32 nr;

	if (!c)
		return;
	for (nr = 0; nr < c->nr_subbufs; nr++)
		subbuf_free(&c->subbuf[nr]);
	kfree(c->subbuf);
	kfree(c);
}

static struct kt_ring_cpu *ring_cpu_alloc(const struct kt_ring *ring, int cpu)
{
	int node = cpu_to_node(cpu);
	size_t len = ring->nr_subbufs * sizeof(struct kt_ring_subbuf);
	struct kt_ring_cpu *c = kzalloc_node(sizeof(*c), GFP_KERNEL, node);

	if (!c)
		return NULL;
	c->subbuf = kzalloc_node(len, GFP_KERNEL | __GFP_NOWARN, node);
	if (!c->subbuf)
		goto free_cpu;
	c->overwrite = ring->overwrite;
	for (; c->nr_subbufs < ring->nr_subbufs; c->nr_subbufs++) {
		if (!subbuf_alloc(&c->subbuf[c->nr_subbufs], cpu,
				  (u64)c->nr_subbufs - ring->nr_subbufs))
			goto free_cpu;
	}
	atomic64_set(&c->head, EMPTY);
	return c;

free_cpu:
	ring_cpu_free(c);
	return NULL;
}

size_t kt_ring_mem(u32 nr_subbufs)
{
	size_t subbuf = (PAGE_SIZE << SUBBUF_ORDER) + sizeof(struct kt_ring_subbuf);

	return sizeof(struct kt_ring) + nr_cpu_ids * sizeof(struct kt_ring_cpu *) +
	       (PAGE_SIZE << SUBBUF_ORDER) +
	       num_possible_cpus() * (sizeof(struct kt_ring_cpu) + nr_subbufs * subbuf);
}

static bool ring_alloc(struct kt_ring *ring)
{
	int cpu;

	if (ring->overwrite) {
		ring->copy = (void *)__get_free_pages(GFP_KERNEL | __GFP_NOWARN, SUBBUF_ORDER);
		if (!ring->copy)
			return false;
	}
	for_each_possible_cpu(cpu) {
		ring->cpu[cpu] = ring_cpu_alloc(ring, cpu);
		if (!ring->cpu[cpu])
			return false;
	}
	return true;
}

struct kt_ring *kt_ring_create(u32 nr_subbufs, bool overwrite, u64 session, u64 cookie)
{
	struct kt_ring *ring;

	BUILD_BUG_ON(KTRACE_PACKET_LEN / 8 > OFFSET_MASK);
	BUILD_BUG_ON(HEADER_LEN % 8);
	/* Numbers and counts of what is held must not wrap in a word. */
	BUILD_BUG_ON(KT_RING_MAX_SUBBUFS >= 1ULL << (NR_BITS - 1));
	BUILD_BUG_ON((u64)KT_RING_MAX_SUBBUFS * FULL >= COUNT_MASK >> COUNT_SHIFT);

	if (!is_power_of_2(nr_subbufs) || nr_subbufs < KT_RING_MIN_SUBBUFS ||
	    nr_subbufs > KT_RING_MAX_SUBBUFS || !kt_mem_charge(kt_ring_mem(nr_subbufs)))
		return NULL;
	ring = kzalloc(sizeof(*ring) + nr_cpu_ids * sizeof(ring->cpu[0]), GFP_KERNEL);
	if (!ring)
		goto uncharge;
	ring->nr_subbufs = nr_subbufs;
	ring->overwrite = overwrite;
	ring->session = session;
	ring->cookie = cookie;
	if (ring_alloc(ring))
		return ring;
	kt_ring_put(ring);
	return NULL;

uncharge:
	kt_mem_uncharge(kt_ring_mem(nr_subbufs));
	return NULL;
}

void kt_ring_put(struct kt_ring *ring)
{
	u32 nr_subbufs;
	int cpu;

	if (!ring)
		return;
	nr_subbufs = ring->nr_subbufs;
	for_each_possible_cpu(cpu)
		ring_cpu_free(ring->cpu[cpu]);
	free_pages((unsigned long)ring->copy, SUBBUF_ORDER);
	kfree(ring);
	kt_mem_uncharge(kt_ring_mem(nr_subbufs));
}
