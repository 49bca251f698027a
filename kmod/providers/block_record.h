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

/*
 * Of a session with a ring: records a request whose stamps have all of its bytes, as it ends,
 * now; error: a negative errno, or 0; func: that of its Q2C. Preemption and interrupts off,
 * likewise below.
 */
void kt_block_record(struct kt_session *session, const struct kt_block_stamps *stamps,
		     const struct kt_block_times *times, struct request *rq, u64 now, int error,
		     u32 func);
/* Of a session with a tree: counts it in nodes of its stages. */
void kt_block_count_nodes(struct kt_session *session, const struct kt_block_stamps *stamps,
			  const struct kt_block_times *times, u32 func);

#endif
