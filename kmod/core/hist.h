/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HIST_H
#define KT_HIST_H

#include <linux/bitops.h>
#include <linux/types.h>

#include <uapi/ktrace.h>

#define KT_OCTAVE_LEN (1 << KTRACE_BUCKET_BITS)

/* Latencies of one function on one CPU; written by that CPU only. */
struct kt_hist {
	u64 min_ns;
	u64 max_ns;
	u64 nested_ns;	/* the part of sum_ns in recursive calls */
#define KT_SUM(id, name, unit, member) u64 member
#include "core/sums.h"
	u64 uncounted;	/* calls in no octave: no memory, or the row has no octaves */
	u64 *octave[KTRACE_NR_OCTAVES];
};

/* The sum of the histograms of some CPUs; the members are those of enum ktrace_figure. */
struct kt_stats {
	u64 calls;
	u64 total_ns;
	u64 min_ns;
	u64 max_ns;
	u64 since;
#define KT_SUM(id, name, unit, member) u64 member
#include "core/sums.h"
};

void kt_hist_init(void);
void kt_hist_want(int hists);	/* as kt_pool_want(), for histograms with their octaves */
void kt_hist_want_octaves(int octaves);	/* as kt_pool_want(), for the rows of tables */

/*
 * Both take memory from a pool, and link it in *slot or in hist. Any context, preemption off. They
 * return NULL if the pool is empty.
 */
struct kt_hist *kt_hist_get(struct kt_hist **slot);
u64 *kt_hist_octave(struct kt_hist *hist, u32 octave);

/* Octave 0 has 0..15 exactly, octave n >= 1 has [2^(n+3), 2^(n+4)), the last all larger values. */
static __always_inline u32 kt_hist_octave_of(u64 v, u32 *bucket)
{
	u32 e;

	*bucket = v;
	if (v < KT_OCTAVE_LEN)
		return 0;
	e = __fls(v) - KTRACE_BUCKET_BITS;
	*bucket = (v >> (e & 63)) & (KT_OCTAVE_LEN - 1);
	if (likely(e < KTRACE_NR_OCTAVES - 1))
		return e + 1;
	*bucket = KT_OCTAVE_LEN - 1;
	return KTRACE_NR_OCTAVES - 1;
}

/* Returns false if there is no memory: the call counts, but in no bucket. */
static __always_inline bool kt_hist_add(struct kt_hist *hist, u64 duration)
{
	u32 bucket, nr = kt_hist_octave_of(duration, &bucket);
	u64 *octave = hist->octave[nr];

	hist->sum_ns += duration;
	if (duration < hist->min_ns)
		hist->min_ns = duration;
	if (duration > hist->max_ns)
		hist->max_ns = duration;
	if (unlikely(!octave)) {
		octave = kt_hist_octave(hist, nr);
		if (!octave)
			return false;
	}
	octave[bucket]++;
	return true;
}

void kt_hist_put(struct kt_hist *hist);
void kt_hist_put_octaves(struct kt_hist *hist);	/* hist itself is not from the pool */

/*
 * Adds hist to stats and count[KTRACE_NR_OCTAVES * KT_OCTAVE_LEN]. count is NULL if hist was
 * allocated without octaves. Process context; the CPU of hist may go on writing.
 */
void kt_hist_merge(const struct kt_hist *hist, struct kt_stats *stats, u64 *count);

#endif
