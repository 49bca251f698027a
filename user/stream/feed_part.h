/* SPDX-License-Identifier: GPL-2.0 */
/* Private to feed.c, which chooses outlets for a packet, and feed_part.c, which fills their parts. */
#ifndef FEED_PART_H
#define FEED_PART_H

#include "stream/feed.h"

#define FEED_UNKNOWN UINT64_MAX

/* The next record of a CPU to be delivered. */
struct position {
	uint64_t packet;	/* FEED_UNKNOWN: none was read yet */
	uint32_t index;		/* of the record in the packet */
	uint64_t count;		/* records of the CPU before the packet that were read */
	uint64_t dropped;	/* records that the ring lost, as reported to the collector so far */
};

/* The way to one outlet. */
struct route {
	struct feed *feed;
	struct outlet *outlet;
	struct position *at;	/* by CPU */
	struct feed_account account;
	bool has_begun;		/* the first event was delivered */
	int64_t step;		/* ns by which the clock was set, and that was not delivered */
	bool is_pending;	/* the packet that is given is not delivered */
	bool is_behind;		/* a packet went by */
	/* what the part that the sender has makes true once it is delivered: */
	struct flight {
		uint32_t cpu;
		struct position at;
		uint32_t nr;	/* records */
		struct feed_account account;	/* what is added besides */
		int64_t step;
	} flight;
};

struct feed {
	struct ktr *ktr;
	struct ktr_session session;
	struct feed_options options;
	struct ktr_stream *stream;
	unsigned int nr_cpus;
	uint64_t *counts;	/* by CPU: records read before the next packet */
	uint64_t *read;		/* by CPU: packets before this number were read */
	struct position *acked;	/* by CPU: the first packet that is not acknowledged */
	struct route *routes;
	size_t nr;
	struct outlet **outlets;
	struct identity identity;
	/* of identity.id: what the names of all records have in common, and of those of a packet */
	size_t cookie_len, prefix_len;
	struct machine *machine;	/* host and boot */
	char *json;
	int64_t offset;		/* ns: CLOCK_REALTIME - CLOCK_MONOTONIC */
	size_t nr_packets;	/* new ones in this pass */
	uint64_t waited;	/* ns in this pass: outlets that had answered, for others */
	uint64_t next_flush;	/* ns: while a required outlet takes nothing */
};

/* What is given: a packet, or only the number of records that a CPU has lost. */
struct load {
	const struct ktr_packet *packet;	/* or NULL */
	uint32_t cpu;
	uint64_t count;		/* records of the CPU before it */
	uint64_t dropped;
	uint64_t end;		/* ns: what was lost, was lost before */
};

/* Names the session, whose records have the same name up to their CPU. */
void feed_name_session(struct feed *feed);
/*
 * Passes on as much of a load as a part has room for, behind what is due before it: the first event,
 * a change of the clock, losses. The answer moves the position of the route.
 */
void feed_pass_part(struct route *route, const struct load *load);
/* Puts the last event of the stream into the part of a free outlet. */
void feed_put_end(struct route *route);

#endif
