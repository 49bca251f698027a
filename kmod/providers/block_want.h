/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_WANT_H
#define KT_BLOCK_WANT_H

#include <linux/types.h>

#include "providers/block_devs.h"
#include "session.h"

struct inode;

/* What a session that was attached has of its own. */
struct kt_block {
	u64 bit;		/* in masks of sessions */
	bool asks;		/* who queued a request */
	bool has_more;		/* records, or rows by chosen keys */
	struct kt_block_devs devs;
};

static inline struct kt_block *kt_block_of(const struct kt_session *session)
{
	return session->source;
}

/* Of sessions that want some disks, or some files, only; and the bits of those with stacks. */
extern u32 kt_block_nr_choosers, kt_block_nr_file_choosers;
extern u64 kt_block_stack_bits;

/* Before it is among the peers, and after; under their lock. False: there are too many. */
bool kt_block_want_begin(const struct kt_session *session);
void kt_block_want_end(const struct kt_session *session);

/* Masks of sessions. All below: any context, preemption off, RCU reader. */
u64 kt_block_wanted(void);	/* which want the requests of current */
u64 kt_block_wanted_of_dev(u64 wanted, u32 dev);
u64 kt_block_wanted_of_file(u64 wanted, struct inode *inode);	/* NULL: it is of none */
/* In each of them that was there then, in ticks: for want of memory. */
void kt_block_count_lost(u64 wanted, u64 queued);

#endif
