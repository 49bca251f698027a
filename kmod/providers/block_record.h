/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_RECORD_H
#define KT_BLOCK_RECORD_H

#include <linux/types.h>

struct kt_block_stamps;
struct kt_session;
struct request;

/* Times from the queueing to each stamp, ns. None is smaller than the previous one. */
struct kt_block_times {
	u64 got, inserted, issued, completed;
};

/*
 * Stores the time of each stage before Q2C in ns[KTRACE_BLOCK_Q2C]. Returns the bits of the stages
 * that the request went through.
 */
u32 kt_block_split(const struct kt_block_stamps *stamps, const struct kt_block_times *times,
		   u64 *ns);

/*
 * Records a request that ends at now (ticks), in a session with a ring. The stamps have the bytes
 * of all parts. error: a negative errno, or 0; func: KTRACE_BLOCK_FUNC of its Q2C. Preemption and
 * interrupts off.
 */
void kt_block_record(struct kt_session *session, const struct kt_block_stamps *stamps,
		     const struct kt_block_times *times, struct request *rq, u64 now, int error,
		     u32 func);

#endif
