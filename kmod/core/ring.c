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
#include <linux/atomic.h>
#include <linux/smp.h>
#include <linux/types.h>
#include <asm/barrier.h>
#include <asm/local64.h>

#include "core/ring.h"
#include "core/ring_parts.h"
#include "lib/clock.h"

bool kt_ring_packet_get(struct kt_ring_cpu *c, u64 nr, struct packet *packet)
{
	struct kt_ring_subbuf *s = subbuf_of(c, nr);
	u64 begin = atomic64_read(&s->begin);
	u64 end = atomic64_read(&s->end);
	u64 committed = local64_read(&s->committed);

	if (word_nr(begin) != (nr & (NR_MASK >> NR_SHIFT)) || !is_same_packet(begin, end) ||
	    !is_same_packet(begin, committed) ||
	    word_offset(committed) != word_offset(end) - EMPTY)
		return false;
	/* Pairs with smp_wmb() in kt_ring_commit() and in kt_ring_packet_close(). */
	smp_rmb();
	packet->nr = nr;
	packet->len = word_offset(end) * 8;
	packet->nr_records = (word_count(end) - word_count(begin)) & (COUNT_MASK >> COUNT_SHIFT);
	packet->seal.time = s->time_end;
	packet->seal.discarded = s->discarded;
	packet->data = s->data;
	return true;
}

bool kt_ring_packet_retire(struct kt_ring_cpu *c, u64 tail, atomic64_t *counter)
{
	struct packet packet;

	if (!kt_ring_packet_get(c, tail, &packet))
		return false;
	/*
	 * Fully ordered: the reader is through with the packet before, a writer
	 * writes after. For a copying reader, pairs with packet_is_intact() of the reader.
	 */
	if ((u64)atomic64_cmpxchg(&c->tail, tail, tail + 1) == tail)
		atomic64_add(packet.nr_records, counter);
	return true;
}

/* May a record be put into the empty packet of word? */
static bool ring_has_room(struct kt_ring_cpu *c, u64 word)
{
	u64 tail = atomic64_read(&c->tail);

	if (nr_ahead(word_nr(word), tail) < c->nr_subbufs)
		return true;
	return c->overwrite && kt_ring_packet_retire(c, tail, &c->overwritten);
}

/* Where a record goes: head, or the next packet; 0 when there is no room. */
static u64 ring_place_record(struct kt_ring_cpu *c, u64 head, size_t words)
{
	u64 start = head;

	if (words > FULL - EMPTY)
		return 0;
	if (word_offset(head) + words > FULL)
		start = next_packet(head);
	if (word_offset(start) == EMPTY && !ring_has_room(c, start))
		return 0;
	return start;
}

/* The time of a new record; the seal is that of all records before it. */
static u64 ring_clock_forward(struct kt_ring_cpu *c, struct seal *seal)
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

static void ring_packet_open(struct kt_ring_cpu *c, u64 start)
{
	atomic64_set(&subbuf_of(c, word_nr(start))->begin, start);
}

void kt_ring_packet_close(struct kt_ring_cpu *c, u64 head, const struct seal *seal)
{
	struct kt_ring_subbuf *s = subbuf_of(c, word_nr(head));

	s->time_end = seal->time;
	s->discarded = seal->discarded;
	/* Pairs with smp_rmb() in kt_ring_packet_get(). */
	smp_wmb();
	atomic64_set(&s->end, head);
}

static void ring_slot_set(struct kt_ring_slot *slot, struct kt_ring_cpu *c, u64 start, size_t words)
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
		slot->time = ring_clock_forward(c, &seal);
		start = ring_place_record(c, head, words);
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
		ring_packet_open(c, start);
	if (start != head)
		kt_ring_packet_close(c, head, &seal);
	ring_slot_set(slot, c, start, words);
	return true;
}

bool kt_ring_commit(struct kt_ring *ring, struct kt_ring_slot *slot)
{
	struct kt_ring_subbuf *s = slot->subbuf;
	u64 old, new;

	/* The record before its commit: pairs with smp_rmb() in kt_ring_packet_get(). */
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
