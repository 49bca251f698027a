/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_RECORD_H
#define KT_BLOCK_RECORD_H

#include <linux/types.h>

struct kt_block_stamps;
struct kt_session;
struct request;

/* ns from the queueing to each stamp, none before the one before it. */
struct kt_block_times {
	u64 got, inserted, issued, completed;
};

/* Bits of the stages below Q2C that it went through; ns has room for the time of each of these. */
u32 kt_block_split(const struct kt_block_stamps *stamps, const struct kt_block_times *times,
		   u64 *ns);

/*
 * Of a session with a ring: records a request whose stamps have all of its bytes, as it ends,
 * now; error: a negative errno, or 0; func: that of its Q2C. Preemption and interrupts off.
 */
void kt_block_record(struct kt_session *session, const struct kt_block_stamps *stamps,
		     const struct kt_block_times *times, struct request *rq, u64 now, int error,
		     u32 func);

#endif
