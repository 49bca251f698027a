/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_STACKS_H
#define KT_STACKS_H

#include <linux/sched.h>
#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_stacks;

/*
 * Where a task was, and what it was called: return addresses, of the kernel, then of its
 * program; innermost first.
 */
struct kt_frames {
	u64 key;		/* says which stack it is; not 0 */
	u32 tgid;		/* of the program; 0: no frames are its */
	u16 flags;		/* KTRACE_STACK_* */
	u8 nr_kernel, nr_user;
	char comm[TASK_COMM_LEN];
	unsigned long addrs[2 * KTRACE_STACK_FRAMES];
};

/*
 * Of current, in memory of this CPU that the next one takes again: interrupts off, nothing
 * sleeps or faults. NULL: one is being taken here, or this is an NMI.
 */
const struct kt_frames *kt_stacks_take(void);
/* The same where a function begins, whose return address lies at sp. */
const struct kt_frames *kt_stacks_take_above(unsigned long sp);
/* Of its program alone. */
const struct kt_frames *kt_stacks_take_program(void);

/* A session's: each stack once, by number, max at most. Process context; NULL: no memory. */
struct kt_stacks *kt_stacks_create(u64 session, u32 max);
void kt_stacks_put(struct kt_stacks *stacks);	/* no hit uses it any more */

#define KT_STACK_NONE KTRACE_STACK_NONE
/* Its number, from now on. Interrupts off, not in an NMI. NONE: there is no room for it. */
u32 kt_stacks_keep(struct kt_stacks *stacks, const struct kt_frames *frames);
/* Of one that was kept. */
u32 kt_stacks_find(const struct kt_stacks *stacks, u64 key);

/* Process context. False: there is none of that number yet. */
bool kt_stacks_get(struct kt_stacks *stacks, u32 nr, struct kt_frames *frames);

#endif
