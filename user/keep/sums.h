/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SUMS_H
#define SUMS_H

#include <stdint.h>

#include "report/figures.h"
#include "uapi/ktrace.h"

/* Figures that grow with each record, with the module's buckets: struct row_part while it is filled. */
struct sums {
	uint64_t calls, errors, total_ns, min_ns, max_ns, bytes;
	uint32_t *octaves[KTRACE_NR_OCTAVES];	/* made when they are needed */
};

/* Adds an event of this duration. */
void sums_add(struct sums *sums, uint64_t ns);
void sums_free(struct sums *sums);
/* Sets CALLS, ERRORS, TOTAL, SUM, MIN, MAX, BYTES and the histogram of a part. */
void sums_fill(struct row_part *part, const struct sums *sums);

#endif
