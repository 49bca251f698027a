/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FRAMES_H
#define KT_FRAMES_H

#include <linux/sched.h>
#include <linux/types.h>

#include <uapi/ktrace.h>

#define KT_STACK_OURS 8	/* frames of the module on top of a stack, at most */
/* A flag in addition to KTRACE_STACK_*: the first frame is no return address. */
#define KT_STACK_EXACT (1U << 15)

/*
 * The stack and the name of a task. addrs has the return addresses of the kernel, then those of the
 * program, each innermost first.
 */
struct kt_frames {
	u64 key;		/* identifies the stack; not 0 */
	u32 tgid;		/* of the program; 0: no frames of a program were taken */
	u16 flags;		/* KTRACE_STACK_*, KT_STACK_EXACT */
	u8 nr_kernel, nr_user;
	char comm[TASK_COMM_LEN];
	/* also room for what is taken first: frames of the module */
	unsigned long addrs[2 * KTRACE_STACK_FRAMES + KT_STACK_OURS];
};

/* Adds a frame of a program. Returns false if there are more than KTRACE_STACK_FRAMES. */
static inline bool kt_frames_add_user(struct kt_frames *frames, unsigned long addr)
{
	if (frames->nr_user == KTRACE_STACK_FRAMES) {
		frames->flags |= KTRACE_STACK_USER_CUT;
		return false;
	}
	frames->addrs[frames->nr_kernel + frames->nr_user++] = addr;
	return true;
}

#endif
