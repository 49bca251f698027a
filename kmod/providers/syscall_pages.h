/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSCALL_PAGES_H
#define KT_SYSCALL_PAGES_H

#include <linux/types.h>

struct inode;
struct kt_syscall_task;
struct pt_regs;

/* What the call that a task is in does to the page cache; kept in kt_syscall_task. */
struct kt_syscall_pages {
	u64 call;	/* begin of the call that the members below are about, ticks */
	const struct inode *inode;	/* read or written; compared, never followed */
	u64 pos;	/* the first byte ... */
	u64 first, end;	/* ... and the pages [first, end) of the transfer; both 0: no pages */
	bool is_at_f_pos;	/* pos is the position of the file */
	bool is_unread;		/* the vectors of the call were not in memory */
	u32 missed, ahead, dirtied;
};

/* Pages of a finished call. */
struct kt_page_figures {
	u64 hits, misses, ahead, dirtied;
};

/*
 * Starts and ends the probes of pages. Process context; the caller serializes them. Returns 0 or
 * a negative errno.
 */
int kt_syscall_pages_watch(void);
void kt_syscall_pages_unwatch(void);

extern bool kt_syscall_pages_are_watched;

/*
 * Begin: current begins a call that moves bytes. Get: any call of current ends and returns ret.
 * Returns false if the range of the call could not be read, so that it has neither hits nor
 * misses. RCU reader, preemption off.
 */
void kt_syscall_pages_begin(struct kt_syscall_task *task, struct pt_regs *regs);
bool kt_syscall_pages_get(const struct kt_syscall_task *task, struct pt_regs *regs, long ret,
			  struct kt_page_figures *figures);

#endif
