/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_WANT_H
#define KT_BLOCK_WANT_H

#include <linux/log2.h>
#include <linux/types.h>

#include "core/session.h"
#include "lib/number.h"

struct bio;
struct kt_block_file;

extern struct kt_peers kt_block_peers;	/* sessions that count disk requests */

/* Data of a session of this provider, from its first attach on. */
struct kt_block {
	u64 bit;		/* in masks of sessions */
	bool asks;		/* needs the task that queued a request, or its file */
	bool has_more;		/* has records, or rows by chosen keys */
	bool has_devs;		/* only devices given in DEVS get numbers */
	u32 devs[KTRACE_BLOCK_DEVS];	/* device + 1, by number */
};

static inline struct kt_block *kt_block_of(const struct kt_session *session)
{
	return session->source;
}

/* Returns the number of a device in the session, or KTRACE_BLOCK_DEVS. Any context. */
static inline u32 kt_block_number(struct kt_block *block, u32 dev)
{
	return kt_number(block->devs, ilog2(KTRACE_BLOCK_DEVS), dev + 1, block->has_devs);
}

/* Number of sessions with DEVS; bits of the sessions with FILES, and of those with stacks. */
extern u32 kt_block_nr_choosers;
extern u64 kt_block_file_bits, kt_block_stack_bits, kt_block_unwind_bits;

/*
 * Begin: before the session joins the peers. End: after it has left them. The caller holds the lock
 * of the peers. Begin returns false if all bits are in use.
 */
bool kt_block_want_begin(const struct kt_session *session);
void kt_block_want_end(const struct kt_session *session);

/* These return masks of sessions. All below: any context, preemption off, RCU reader. */
u64 kt_block_wanted(void);	/* sessions that trace requests of current */
u64 kt_block_wanted_of_dev(u64 wanted, u32 dev);
/* Counts in lost_files where it is not known if a session traces the file of bio. */
u64 kt_block_wanted_of_file(u64 wanted, struct bio *bio, const struct kt_block_file *file);
/*
 * Counts a request that is lost for lack of memory, in each session of wanted that was attached
 * when it was queued (ticks).
 */
void kt_block_count_lost(u64 wanted, u64 queued);

#endif
