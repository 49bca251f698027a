/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HIST_H
#define HIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "uapi/ktrace.h"

/* Log-linear buckets as the module counts them, in order of index. */
struct hist {
	struct ktrace_bucket *buckets;
	size_t nr;
};

/* The values of a bucket: [low, high). */
uint64_t hist_low(uint32_t index);
uint64_t hist_high(uint32_t index);
uint32_t hist_index(uint64_t value);

/* What the module says of one: aligned to 4 bytes only; more can be counted into it. */
void hist_read(struct hist *hist, const struct ktrace_bucket *buckets, size_t nr);
/* Counts one value, or what another has. */
void hist_add(struct hist *hist, uint64_t value);
void hist_merge(struct hist *hist, const struct hist *from);
void hist_free(struct hist *hist);

/*
 * The value that permille of the calls do not exceed (nearest rank), as the middle of
 * its bucket: at most 3.2 % off. 0 when nothing was counted.
 */
uint64_t hist_percentile(const struct hist *hist, unsigned int permille);
/* The same, within what was measured, which the middle of a bucket may be outside of. */
uint64_t hist_percentile_within(const struct hist *hist, unsigned int permille, uint64_t min,
				uint64_t max);

/* Bars by powers of two, in ns. */
void hist_print(FILE *out, const struct hist *hist);

#endif
