/* SPDX-License-Identifier: GPL-2.0 */
/* The ring of one session: per CPU, sub-buffers that are CTF packets. */
#ifndef _KT_RING_H
#define _KT_RING_H

#include <linux/types.h>

#define KT_RING_MIN_SUBBUFS	2U
#define KT_RING_MAX_SUBBUFS	(1U << 14)

struct kt_ring;
struct kt_ring_cpu;
struct kt_ring_subbuf;
struct ktrace_counters;

/* A record being written: between reserve and commit, on one CPU. */
struct kt_ring_slot {
	void *data;		/* 8-byte aligned, of the length reserved */
	u64 time;		/* goes into the record's first word */
	/* private */
	struct kt_ring_cpu *cpu;
	struct kt_ring_subbuf *subbuf;
	u64 mark;
	bool is_switch;
};

/*
 * nr_subbufs is per CPU: a power of two from KT_RING_MIN_SUBBUFS to KT_RING_MAX_SUBBUFS. Process
 * context. Returns NULL if there is no memory or nr_subbufs is invalid.
 */
struct kt_ring *kt_ring_create(u32 nr_subbufs, bool overwrite, u64 session,
			       u64 cookie);
/* The caller guarantees that no writer and no reader is left. */
void kt_ring_put(struct kt_ring *ring);
/* Returns the bytes of a ring for all possible CPUs; kt_ring_create() charges them to max_mem. */
size_t kt_ring_mem(u32 nr_subbufs);

/*
 * Writers: any context, NMI included, preemption off from reserve to commit.
 * len is a multiple of 8, at least 8. Returns false if there is no room: the record
 * counts as produced and dropped. If true, the record must be committed.
 */
bool kt_ring_reserve(struct kt_ring *ring, size_t len,
		     struct kt_ring_slot *slot);
/* Returns true if a packet may have become complete, so that a notice is worthwhile. */
bool kt_ring_commit(struct kt_ring *ring, struct kt_ring_slot *slot);
/* Do a quarter of this CPU's sub-buffers wait for the reader? Preemption is off. */
bool kt_ring_is_filling(struct kt_ring *ring);

/*
 * The reader: process context, one at a time for the session, which the caller
 * guarantees; cpu is a possible one, online or not.
 */

/* The reader is done with packets below number cursor: their room may be reused. */
void kt_ring_acknowledge(struct kt_ring *ring, int cpu, u64 cursor);
/*
 * Closes the packet being written, if it holds a record. Returns a time, ns: every record of this
 * CPU stamped before it is in a complete packet. Returns 0 if a writer is still busy in a closed
 * packet.
 */
u64 kt_ring_flush(struct kt_ring *ring, int cpu);
/*
 * Finds the first complete packet with a number of at least *cursor, and sets *cursor to its
 * number. Returns 0, or -EAGAIN if there is none yet. The packet stays unchanged until it is
 * acknowledged, or until the next call for any CPU of this ring.
 */
int kt_ring_packet(struct kt_ring *ring, int cpu, u64 *cursor,
		   const void **packet, size_t *len);

/*
 * Adds produced, acknowledged, held, dropped, dropped_full and
 * dropped_overwritten of this CPU; produced = acknowledged + dropped + held
 * exactly. Process context, at any time.
 */
void kt_ring_counters(struct kt_ring *ring, int cpu,
		      struct ktrace_counters *counters);

#endif
