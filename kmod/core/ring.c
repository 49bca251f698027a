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
 * Packets are numbered from 0, without end; packet n is in sub-buffer
 * n % nr_subbufs. Writers run on the ring's own CPU, and interrupt each other
 * at any instruction (task, interrupt, NMI). The reader runs on any CPU. Only
 * flush waits, and it gives up after a while.
 *
 * One word contains everything that a reservation decides. It is changed by
 * cmpxchg only:
 *
 *   head: 63        37 36      27 26                11 10            0
 *        +------------+----------+--------------------+---------------+
 *        | records    | epoch    | packet number,     | offset of the |
 *        | put so far |          | low 16 bits        | next record/8 |
 *        +------------+----------+--------------------+---------------+
 *
 * So a successful cmpxchg gives a record its place, its packet and its count
 * in the same instant. An offset just after the header (EMPTY) stands for a
 * packet without a record, which has not claimed its sub-buffer yet. So the
 * last packet can be closed while the ring is full. If a flush finds nothing
 * to close, it changes the epoch, so that a writer in progress notices it.
 *
 * The life of a packet, and who writes what:
 *
 *   open     the writer of its first record: begin = head before it
 *   commit   each writer: committed += its length; starts from 0 if
 *            committed still has the number of the previous packet
 *   close    the writer whose record did not fit, or flush: end = head before
 *   retire   tail + 1 by cmpxchg: by the reader, when acknowledged, or by a
 *            writer in overwrite mode. Only complete packets retire.
 *
 * A packet is complete when begin, end and committed all have its number and
 * committed reaches end. The three may be written in any order. None of them
 * can be late for the next use of the sub-buffer, since that waits for them.
 * A writer that finds the oldest packet incomplete drops its record. (Then it
 * has interrupted the writer inside the packet, or flush is half way through on
 * another CPU.)
 *
 * Time never steps back: in the reserve loop, "last" is raised to the record's
 * time after head was read and before head is changed. If head was not changed
 * meanwhile, the time of every earlier record was in "last" already.
 *
 * Accounting: head contains the count of all records put. Acknowledged and
 * overwritten records are counted when their packet retires; the rest is held.
 * So produced = acknowledged + dropped + held needs no second count that could
 * disagree, only a moment at which head is read while the other two counts do
 * not change.
 *
 * Overwrite mode: the reader copies a packet, and then checks whether it has
 * retired meanwhile. Swapping in a spare sub-buffer would save the copy, but a
 * dump gives out many packets before the first is acknowledged, and one spare
 * protects only one. Writers need not know about a copy. If a writer retires a
 * packet that was given out but not acknowledged, the packet counts as
 * overwritten, since it may not have arrived.
 *
 * The memory is pages of the direct map, not vmalloc: an NMI must not fault.
 */
#include <linux/atomic.h>
#include <linux/compiler.h>
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

/* Apart, since its packet would make each reservation check the stack for an overflow. */
noinline bool kt_ring_packet_retire(struct kt_ring_cpu *c, u64 tail, atomic64_t *counter)
{
	struct packet packet;

	if (!kt_ring_packet_get(c, tail, &packet))
		return false;
	/*
	 * Fully ordered: the reader has finished with the packet before, and a writer writes
	 * after. For a reader that copies, pairs with ring_reader_packet_is_intact().
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

/* Returns the word for a record, in the packet of head or the next one; 0 if there is no room. */
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

/* Returns the time of a new record; seal is the state after all records before it. */
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
		/* last after head: pairs with cmpxchg of head in ring_reader_flush_head(). */
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
