/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_TABLE_H
#define KT_BLOCK_TABLE_H

#include <linux/types.h>

struct kt_block_stamps;
struct kt_block_times;
struct kt_session;
struct ktrace_table;

/* Returns true if rows of such a table show the task that queued a request, or its file. */
bool kt_block_table_asks(const struct ktrace_table *shape);

/*
 * Counts a request that ends at now (ticks) in the row of its keys or, if the stage is a key, in
 * one row per stage. The session has a table. op: enum ktrace_block_op; error: a negative errno,
 * or 0. Preemption and interrupts off.
 */
void kt_block_count_rows(struct kt_session *session, const struct kt_block_stamps *stamps,
			 const struct kt_block_times *times, u32 op, u64 now, int error);

#endif
