/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_WHO_H
#define KT_BLOCK_WHO_H

#include <linux/sched.h>
#include <linux/types.h>

#include "providers/block_request.h"
#include "providers/off_cpu.h"

struct bio;
struct inode;

#define KT_BLOCK_NO_UID (~0U)	/* no user */

/*
 * The task that queued a bio, and the file of the bio. This is in a table beside the stamps, which
 * exists only while a session needs it, so that other sessions do not pay for it.
 */
struct kt_block_who {
	u64 queued;		/* as in the stamps; else this is about another bio */
	u64 inode;		/* 0: not known; this is so for tid and cgroup, too */
	u64 cgroup;
	u64 stack;		/* kt_frames.key; 0: no stack was taken */
	u32 file_dev;		/* major << 20 | minor; 0: not known */
	u32 tid, tgid;
	u32 uid;		/* NO_UID: not known */
	char comm[TASK_COMM_LEN];
	char process[TASK_COMM_LEN];	/* name of the first thread of the process */
	struct kt_off_mark off;
};

/* Process context, may sleep, serialized by the caller. Create: false if there is no memory. */
bool kt_block_who_create(void);
void kt_block_who_free(void);	/* hits that still run find no table */

/*
 * Notes that current queues bio, which may be NULL. inode is the file of the bio; NULL: no file, or
 * not known. RCU reader; any context but NMI, as for all functions below.
 */
void kt_block_who_note(const struct kt_block_stamps *stamps, struct bio *bio,
		       const struct inode *inode);
/* Notes the file of the bio that this one was cloned from. Call it after kt_block_who_note(). */
void kt_block_who_note_source(const struct kt_block_stamps *stamps,
			      const struct kt_block_stamps *source);
/* Notes the stack of the queueing. Call it after kt_block_who_note(). */
void kt_block_who_note_stack(const struct kt_block_stamps *stamps, u64 key);
/*
 * Returns what was noted. If nothing was, all members are zero, except uid, which is
 * KT_BLOCK_NO_UID. Valid as long as the caller may use the stamps.
 */
const struct kt_block_who *kt_block_who_get(const struct kt_block_stamps *stamps);
/* Copies what was noted for from. Both have the same time of queueing. */
void kt_block_who_copy(const struct kt_block_stamps *to, const struct kt_block_stamps *from);
void kt_block_who_put(const struct kt_block_stamps *stamps, const struct kt_block_who *who);

#endif
