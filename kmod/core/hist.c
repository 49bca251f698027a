// SPDX-License-Identifier: GPL-2.0
/*
 * Log-linear latency histograms: 16 buckets per octave, so the relative error is at most 1/16. An
 * octave takes memory once it is hit.
 */
#include <linux/bitops.h>
#include <linux/cache.h>
#include <linux/kernel.h>

#include "core/hist.h"
#include "lib/pool.h"

static struct kt_pool hists, octaves;

void kt_hist_init(void)
{
	kt_pool_init(&hists, sizeof(struct kt_hist), 32);
	kt_pool_init(&octaves, KT_OCTAVE_LEN * sizeof(u64), 64);
	kt_pool_share(&hists);
	kt_pool_share(&octaves);
}

/* Most durations of one function differ by less than a factor of a thousand. */
#define USUAL_OCTAVES 10

void kt_hist_want(int nr)
{
	kt_pool_want(&hists, nr);
	kt_pool_want(&octaves, nr * USUAL_OCTAVES);
}

void kt_hist_want_octaves(int nr)
{
	kt_pool_want(&octaves, nr);
}

struct kt_hist *kt_hist_get(struct kt_hist **slot)
{
	struct kt_hist *hist = kt_pool_get(&hists);

	if (hist) {
		hist->min_ns = ~0ULL;
		WRITE_ONCE(*slot, hist);
	}
	return hist;
}

u64 *kt_hist_octave(struct kt_hist *hist, u32 octave)
{
	u64 *counts = kt_pool_get(&octaves);

	if (counts)
		WRITE_ONCE(hist->octave[octave], counts);
	else
		hist->uncounted++;
	return counts;
}

void kt_hist_put_octaves(struct kt_hist *hist)
{
	int i;

	for (i = 0; i < KTRACE_NR_OCTAVES; i++)
		if (hist->octave[i])
			kt_pool_put(&octaves, hist->octave[i]);
}

void kt_hist_put(struct kt_hist *hist)
{
	if (!hist)
		return;
	kt_hist_put_octaves(hist);
	kt_pool_put(&hists, hist);
}

void kt_hist_merge(const struct kt_hist *hist, struct kt_stats *stats, u64 *count)
{
	const u64 *octave;
	u64 counted;
	int i, j;

#define KT_SUM(id, name, unit, member) (stats->member += READ_ONCE(hist->member))
#include "core/sums.h"
	stats->calls += READ_ONCE(hist->uncounted) + READ_ONCE(hist->at_most);
	stats->total_ns += READ_ONCE(hist->sum_ns) - READ_ONCE(hist->nested_ns);
	stats->min_ns = min(stats->min_ns, READ_ONCE(hist->min_ns));
	stats->max_ns = max(stats->max_ns, READ_ONCE(hist->max_ns));
	for (i = 0; count && i < KTRACE_NR_OCTAVES; i++) {
		octave = READ_ONCE(hist->octave[i]);
		for (j = 0; octave && j < KT_OCTAVE_LEN; j++) {
			counted = READ_ONCE(octave[j]);
			count[i * KT_OCTAVE_LEN + j] += counted;
			stats->calls += counted;
		}
	}
}
