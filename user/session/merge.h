/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MERGE_H
#define MERGE_H

#include <stddef.h>
#include <stdint.h>

#include "session/event.h"

/*
 * Merges the streams of all CPUs by time. An event is passed on as soon as no CPU can deliver an
 * earlier event.
 */
struct merge;

struct merge *merge_create(unsigned int nr_cpus);
void merge_free(struct merge *merge);

/* Adds the next packet of a CPU. Records that were lost before it become one EVENT_GAP. */
void merge_packet(struct merge *merge, const struct ktr_packet *packet);

/*
 * Returns the number of the CPU's first packet with events that have not been passed on yet.
 * Returns next if there is no such packet.
 */
uint64_t merge_first_held(const struct merge *merge, unsigned int cpu, uint64_t next);

/* All records of the CPU with times before clock (ns) have been added; UINT64_MAX: all records. */
void merge_clock(struct merge *merge, unsigned int cpu, uint64_t clock);

/*
 * All records of the CPU have been added. discarded: how many records it has lost so far. No packet
 * tells of those that were lost behind the last packet: they become an EVENT_GAP at the end.
 */
void merge_end(struct merge *merge, unsigned int cpu, uint64_t discarded);

/* Calls fn for each event whose order is final, and drops the event. */
void merge_drain(struct merge *merge,
		 void (*fn)(void *arg, const struct ktr_record *event), void *arg);

#endif
