/* SPDX-License-Identifier: GPL-2.0 */
/* Internals shared by ring.c (writers), ring_reader.c and ring_alloc.c; see ring.c. */
#ifndef KT_RING_PARTS_H
#define KT_RING_PARTS_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/types.h>
#include <asm/local64.h>

#include <uapi/ktrace.h>
#include <uapi/ktrace_record.h>

#include "core/ring.h"

#define HEADER_LEN	sizeof(struct ktrace_packet)

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

struct kt_ring_subbuf {
	atomic64_t begin;	/* head when the first record was put */
	atomic64_t end;		/* head when the packet was closed */
	local64_t committed;	/* packet number, 8-byte words committed */
	u64 time_end;		/* ns; seal of the closed packet, written before end */
	u64 discarded;		/* records; seal, written before end */
	void *data;
};

/* The state at the moment when a packet was closed, for its header. */
struct seal {
	u64 time;		/* ns; of the last record */
	u64 discarded;		/* records dropped so far */
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
	/* The members below change once per packet. */
	atomic64_t tail ____cacheline_aligned;
	atomic64_t acknowledged;
	atomic64_t overwritten;
};

struct kt_ring {
	u32 nr_subbufs;
	bool overwrite;
	u64 session;
	u64 cookie;
	void *copy;		/* overwrite mode: copy of the packet given to the reader */
	struct kt_ring_cpu *cpu[];	/* nr_cpu_ids */
};

static inline u64 word_nr(u64 word)
{
	return (word & NR_MASK) >> NR_SHIFT;
}

static inline u64 word_offset(u64 word)
{
	return word & OFFSET_MASK;
}

static inline u64 word_count(u64 word)
{
	return word >> COUNT_SHIFT;
}

/* How far packet number low (of a word) is ahead of nr. */
static inline u64 nr_ahead(u64 low, u64 nr)
{
	return (low - nr) & (NR_MASK >> NR_SHIFT);
}

static inline bool is_same_packet(u64 a, u64 b)
{
	return !((a ^ b) & NR_MASK);
}

/* The word of the packet after that of word, without a record. */
static inline u64 next_packet(u64 word)
{
	return (word & COUNT_MASK) | ((word + NR_ONE) & (EPOCH_MASK | NR_MASK)) | EMPTY;
}

static inline u64 next_epoch(u64 word)
{
	return (word & ~EPOCH_MASK) | ((word + EPOCH_ONE) & EPOCH_MASK);
}

static inline struct kt_ring_subbuf *subbuf_of(struct kt_ring_cpu *c, u64 nr)
{
	return &c->subbuf[nr & (c->nr_subbufs - 1)];
}

/* Fills in packet and returns true if packet nr, from tail to head - 1, is complete. */
bool kt_ring_packet_get(struct kt_ring_cpu *c, u64 nr, struct packet *packet);

/*
 * Retires the oldest packet, tail, and adds its records to counter. Returns false if the packet is
 * not complete, and true if it is gone, also if another context has retired it.
 */
bool kt_ring_packet_retire(struct kt_ring_cpu *c, u64 tail, atomic64_t *counter);

/* Called by the context that moved head from this packet to the next. */
void kt_ring_packet_close(struct kt_ring_cpu *c, u64 head, const struct seal *seal);

#endif
