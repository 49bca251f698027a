/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_HIST_H
#define KT_HIST_H

#include <linux/types.h>

#include <uapi/ktrace.h>

#define KT_OCTAVE_LEN (1 << KTRACE_BUCKET_BITS)

/* Latencies of one function on one CPU; written by that CPU only. */
struct kt_hist {
	struct ktrace_stats stats;
	u64 *octave[KTRACE_NR_OCTAVES];
};

void kt_hist_init(void);
void kt_hist_exit(void);
void kt_hist_refill(void);	/* task context, before a hit */
void kt_hist_trim(void);

/* Any context, preemption off. NULL: the pool is empty. */
struct kt_hist *kt_hist_get(struct kt_hist **slot);
bool kt_hist_add(struct kt_hist *hist, u64 duration);
void kt_hist_put(struct kt_hist *hist);

/*
 * Adds hist to stats and count[KTRACE_NR_OCTAVES * KT_OCTAVE_LEN]; process
 * context, while the CPU may go on writing.
 */
void kt_hist_merge(const struct kt_hist *hist, struct ktrace_stats *stats, u64 *count);
void kt_hist_clear(struct kt_hist *hist);

#endif
