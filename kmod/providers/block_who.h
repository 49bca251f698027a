/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_WHO_H
#define KT_BLOCK_WHO_H

#include <linux/sched.h>
#include <linux/types.h>

#include "providers/block_request.h"
#include "providers/off_cpu.h"

struct bio;
struct inode;

#define KT_BLOCK_NO_UID (~0U)	/* of no user */

/*
 * Who queued a bio, and what file it is of: beside its stamps, in a table of its own, which is
 * there while a session asks for it, so that others do not pay.
 */
struct kt_block_who {
	u64 queued;		/* as in the stamps: else it is of another bio */
	u64 inode;		/* 0: not known; so for tid and cgroup */
	u64 cgroup;
	u64 stack;		/* as kt_frames.key; 0: none was taken */
	u32 file_dev;		/* major << 20 | minor; 0: not known */
	u32 tid, tgid;
	u32 uid;		/* NO_UID: not known */
	char comm[TASK_COMM_LEN];
	char process[TASK_COMM_LEN];	/* the name of its first thread */
	struct kt_off_mark off;
};

/* Process context, sleep; one after the other. */
bool kt_block_who_create(void);
void kt_block_who_free(void);	/* those who still look at it find none */

/*
 * As what is below kt_block_table; RCU reader. Current queues it; bio may be NULL; of a file, or
 * NULL: none, or not known.
 */
void kt_block_who_note(const struct kt_block_stamps *stamps, struct bio *bio,
		       const struct inode *inode);
/* Behind it: that stack it was queued on. */
void kt_block_who_note_stack(const struct kt_block_stamps *stamps, u64 key);
/* All zero, without a user: not known. Valid as long as the stamps are the caller's. */
const struct kt_block_who *kt_block_who_get(const struct kt_block_stamps *stamps);
/* Of one that was queued at the same time. */
void kt_block_who_copy(const struct kt_block_stamps *to, const struct kt_block_stamps *from);
void kt_block_who_put(const struct kt_block_stamps *stamps, const struct kt_block_who *who);

#endif
