/* SPDX-License-Identifier: GPL-2.0 */
#ifndef HIST_H
#define HIST_H

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ktrace.h"

/* Log-linear buckets as counted by the module, sorted by index. */
struct hist {
	struct ktrace_bucket *buckets;
	size_t nr;
};

/* Returns the bucket of a value. */
uint32_t hist_index(uint64_t value);

/* Copies the buckets of a message, which are aligned to 4 bytes only. Values can be added later. */
void hist_read(struct hist *hist, const struct ktrace_bucket *buckets, size_t nr);
/* Adds one value, or all counts of another histogram. */
void hist_add(struct hist *hist, uint64_t value);
void hist_merge(struct hist *hist, const struct hist *from);
void hist_free(struct hist *hist);

/*
 * Returns the value that permille of the calls do not exceed (nearest rank), as the middle of its
 * bucket: at most 3.2 % off. Returns 0 if nothing was counted.
 */
uint64_t hist_percentile(const struct hist *hist, unsigned int permille);
/*
 * The same, limited to the measured minimum and maximum, which may exclude the middle of a bucket.
 */
uint64_t hist_percentile_within(const struct hist *hist, unsigned int permille, uint64_t min,
				uint64_t max);

/* Prints one bar per power of two, in ns. */
void hist_print(FILE *out, const struct hist *hist);

#endif
