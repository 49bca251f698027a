/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_STACKS_H
#define KT_STACKS_H

#include <linux/sched.h>
#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_stacks;
struct pt_regs;

#define KT_STACK_OURS 8	/* frames of the module on top of a stack, at most */
/* A flag in addition to KTRACE_STACK_*: the first frame is no return address. */
#define KT_STACK_EXACT (1U << 15)

/* Process context; the module loads and unloads. Returns 0 or -ENOMEM. */
int kt_stacks_init(void);
void kt_stacks_exit(void);

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

/*
 * Takes the stack of current, in memory of this CPU that the next call reuses. Interrupts are off;
 * does not sleep or fault. Returns NULL in an NMI, or if this CPU is taking a stack already.
 */
const struct kt_frames *kt_stacks_take(void);
/* The same at the entry of a function whose return address is at sp. */
const struct kt_frames *kt_stacks_take_above(unsigned long sp);
/* The same from the registers that an interrupt has saved; the module's own frames are omitted. */
const struct kt_frames *kt_stacks_take_interrupted(struct pt_regs *regs);
/* The same as kt_stacks_take() without frames of the kernel. */
const struct kt_frames *kt_stacks_take_program(void);

/*
 * Makes room for up to max stacks of a session, each kept once. Process context. Returns NULL if
 * there is no memory.
 */
struct kt_stacks *kt_stacks_create(u64 session, u32 max);
void kt_stacks_put(struct kt_stacks *stacks);	/* no hit uses it any more */

#define KT_STACK_NONE KTRACE_STACK_NONE
/*
 * Keeps a stack of current. Returns its number, or KT_STACK_NONE if there is no room. Interrupts
 * are off; not in an NMI.
 */
u32 kt_stacks_keep(struct kt_stacks *stacks, const struct kt_frames *frames);
/* Returns the number of a stack that was kept, or KT_STACK_NONE. RCU reader. */
u32 kt_stacks_find(const struct kt_stacks *stacks, u64 key);

/* Fills in frames. Returns false if there is no stack with number nr yet. Process context. */
bool kt_stacks_get(struct kt_stacks *stacks, u32 nr, struct kt_frames *frames);

#endif
