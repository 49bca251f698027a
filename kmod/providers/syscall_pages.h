/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSCALL_PAGES_H
#define KT_SYSCALL_PAGES_H

#include <linux/types.h>

struct inode;
struct kt_syscall_task;
struct pt_regs;

/* What the call that a task is in does to the page cache; kept in kt_syscall_task. */
struct kt_syscall_pages {
	u64 call;	/* when it began: what follows is of that one; of another: nothing yet */
	const struct inode *inode;	/* it reads or writes this; compared, never followed */
	u64 pos;	/* from this byte on ... */
	u64 first, end;	/* ... in these pages at most, end is the one behind; both 0: in none */
	bool is_at_f_pos;	/* ... which is the file's position */
	bool is_unread;		/* its vectors were not in memory */
	u32 missed, ahead, dirtied;
};

/* Of a call, as far as it is known. */
struct kt_page_figures {
	u64 hits, misses, ahead, dirtied;
};

/* Sessions that want them begin and end; process context, one at a time. 0 or a negative errno. */
int kt_syscall_pages_watch(void);
void kt_syscall_pages_unwatch(void);

extern bool kt_syscall_pages_are_watched;

/*
 * Current's call begins, one that moves bytes; any call ends that returns ret. False: what it
 * was about could not be read, so it has no hits or misses. RCU reader, preemption off.
 */
void kt_syscall_pages_begin(struct kt_syscall_task *task, struct pt_regs *regs);
bool kt_syscall_pages_get(const struct kt_syscall_task *task, struct pt_regs *regs, long ret,
			  struct kt_page_figures *figures);

#endif
