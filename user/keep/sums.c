// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "keep/sums.h"
#include "report/hist.h"
#include "util/mem.h"

#define PARTS (1U << KTRACE_BUCKET_BITS)

void sums_add(struct sums *sums, uint64_t ns)
{
	uint32_t index = hist_index(ns);
	uint32_t **octave = &sums->octaves[index / PARTS];

	if (!*octave)
		*octave = mem_alloc(PARTS * sizeof(**octave));
	/* More calls than this would be a recording of 137 GB. */
	(*octave)[index % PARTS]++;
	if (!sums->calls++ || ns < sums->min_ns)
		sums->min_ns = ns;
	if (ns > sums->max_ns)
		sums->max_ns = ns;
	sums->total_ns += ns;
}

void sums_free(struct sums *sums)
{
	int i;

	for (i = 0; i < KTRACE_NR_OCTAVES; i++)
		free(sums->octaves[i]);
}

static void fill_hist(struct hist *hist, const struct sums *sums)
{
	uint32_t index, count;

	for (index = 0; index < KTRACE_NR_OCTAVES * PARTS; index++) {
		count = sums->octaves[index / PARTS] ?
			sums->octaves[index / PARTS][index % PARTS] : 0;
		if (!count)
			continue;
		hist->buckets = mem_grow(hist->buckets, hist->nr, sizeof(*hist->buckets));
		hist->buckets[hist->nr].index = index;
		hist->buckets[hist->nr++].count = count;
	}
}

void sums_fill(struct row_part *part, const struct sums *sums)
{
	part->figures[FIG_CALLS] = sums->calls;
	part->figures[FIG_ERRORS] = sums->errors;
	part->figures[FIG_TOTAL] = part->figures[FIG_SUM] = sums->total_ns;
	part->figures[FIG_MIN] = sums->min_ns;
	part->figures[FIG_MAX] = sums->max_ns;
	part->figures[FIG_BYTES] = sums->bytes;
	fill_hist(&part->hist, sums);
}
