// SPDX-License-Identifier: GPL-2.0
/*
 * Log-linear latency histograms: 16 parts an octave, so at most 1/16 relative
 * error. Octaves take memory only once they are hit.
 */
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/kernel.h>

#include "hist.h"
#include "pool.h"

static struct kt_pool hists, octaves;

void kt_hist_init(void)
{
	kt_pool_init(&hists, sizeof(struct kt_hist), 32);
	kt_pool_init(&octaves, KT_OCTAVE_LEN * sizeof(u64), 64);
}

void kt_hist_exit(void)
{
	kt_pool_exit(&octaves);
	kt_pool_exit(&hists);
}

void kt_hist_refill(void)
{
	kt_pool_refill(&hists);
	kt_pool_refill(&octaves);
}

void kt_hist_trim(void)
{
	kt_pool_trim(&octaves);
	kt_pool_trim(&hists);
}

struct kt_hist *kt_hist_get(struct kt_hist **slot)
{
	struct kt_hist *hist = *slot;

	if (likely(hist))
		return hist;
	hist = kt_pool_get(&hists);
	if (hist) {
		hist->stats.min_ns = ~0ULL;
		WRITE_ONCE(*slot, hist);
	}
	return hist;
}

/* Octave 0 holds 0..15 exactly; octave n >= 1 holds [2^(n+3), 2^(n+4)). */
static u32 bucket(u64 v)
{
	u32 e;

	if (v < KT_OCTAVE_LEN)
		return v;
	e = fls64(v) - 1;
	if (e >= KTRACE_NR_OCTAVES + KTRACE_BUCKET_BITS - 1)
		return KTRACE_NR_OCTAVES * KT_OCTAVE_LEN - 1;
	return ((e - KTRACE_BUCKET_BITS + 1) << KTRACE_BUCKET_BITS) |
	       ((v >> (e - KTRACE_BUCKET_BITS)) & (KT_OCTAVE_LEN - 1));
}

bool kt_hist_add(struct kt_hist *hist, u64 duration)
{
	u32 index = bucket(duration);
	u64 *octave = hist->octave[index >> KTRACE_BUCKET_BITS];

	hist->stats.calls++;
	hist->stats.sum_ns += duration;
	if (duration < hist->stats.min_ns)
		hist->stats.min_ns = duration;
	if (duration > hist->stats.max_ns)
		hist->stats.max_ns = duration;
	if (unlikely(!octave)) {
		octave = kt_pool_get(&octaves);
		if (!octave)
			return false;
		WRITE_ONCE(hist->octave[index >> KTRACE_BUCKET_BITS], octave);
	}
	octave[index & (KT_OCTAVE_LEN - 1)]++;
	return true;
}

void kt_hist_put(struct kt_hist *hist)
{
	int i;

	if (!hist)
		return;
	for (i = 0; i < KTRACE_NR_OCTAVES; i++)
		if (hist->octave[i])
			kt_pool_put(&octaves, hist->octave[i]);
	kt_pool_put(&hists, hist);
}

void kt_hist_merge(const struct kt_hist *hist, struct ktrace_stats *stats, u64 *count)
{
	const u64 *octave;
	int i, j;

	stats->calls += hist->stats.calls;
	stats->entries += hist->stats.entries;
	stats->total_ns += hist->stats.total_ns;
	stats->self_ns += hist->stats.self_ns;
	stats->sum_ns += hist->stats.sum_ns;
	stats->min_ns = min(stats->min_ns, hist->stats.min_ns);
	stats->max_ns = max(stats->max_ns, hist->stats.max_ns);
	for (i = 0; i < KTRACE_NR_OCTAVES; i++) {
		octave = READ_ONCE(hist->octave[i]);
		for (j = 0; octave && j < KT_OCTAVE_LEN; j++)
			count[i * KT_OCTAVE_LEN + j] += READ_ONCE(octave[j]);
	}
}

void kt_hist_clear(struct kt_hist *hist)
{
	int i, j;

	for (i = 0; i < KTRACE_NR_OCTAVES; i++)
		for (j = 0; hist->octave[i] && j < KT_OCTAVE_LEN; j++)
			hist->octave[i][j] = 0;
	memset(&hist->stats, 0, sizeof(hist->stats));
	hist->stats.min_ns = ~0ULL;
}
