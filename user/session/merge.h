/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MERGE_H
#define MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "session/event.h"

/*
 * Brings the streams of all CPUs into one order of time. An event is given on
 * once no CPU can still have an earlier one.
 */
struct merge;

struct merge *merge_create(unsigned int nr_cpus);
void merge_free(struct merge *merge);

/* The next packet of a CPU. Lost records before it become a gap. */
void merge_packet(struct merge *merge, unsigned int cpu, const void *packet, size_t len);

/*
 * The number of a CPU's first packet with events that were not given on yet; next, if
 * there is none.
 */
uint64_t merge_first_held(const struct merge *merge, unsigned int cpu, uint64_t next);

/* Everything that this CPU stamped before clock has been given; UINT64_MAX: everything. */
void merge_clock(struct merge *merge, unsigned int cpu, uint64_t clock);

/* Gives on the events whose order is final. */
void merge_drain(struct merge *merge,
		 void (*fn)(void *arg, const struct event *event), void *arg);

#endif
