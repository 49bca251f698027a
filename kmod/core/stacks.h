/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_STACKS_H
#define KT_STACKS_H

#include <linux/types.h>

#include "core/frames.h"

struct kt_stacks;
struct pt_regs;

/* The module loads. */
void kt_stacks_init(void);

/* Frames of the kernel, innermost first, as kmod/compat/stack.h saves them. */
struct kt_kernel_frames {
	u32 nr;
	unsigned long addrs[KTRACE_STACK_FRAMES + KT_STACK_OURS];
};

/*
 * Takes the stack of current, in memory of this CPU that the next call reuses. by_tables: a session
 * that wants the stack has KTRACE_F_UNWIND. A session has a struct kt_stacks, and interrupts are
 * off; does not sleep or fault. Returns NULL in an NMI, or if this CPU is taking a stack already.
 */
const struct kt_frames *kt_stacks_take(bool by_tables);
/* The same at the entry of a function whose return address is at sp. */
const struct kt_frames *kt_stacks_take_above(unsigned long sp, bool by_tables);
/* The same from the registers that an interrupt has saved; the module's own frames are omitted. */
const struct kt_frames *kt_stacks_take_interrupted(struct pt_regs *regs, bool by_tables);
/* The same, with frames of the kernel that were saved before. regs may be NULL. */
const struct kt_frames *kt_stacks_take_saved(const struct kt_kernel_frames *kernel,
					     struct pt_regs *regs, bool by_tables);
/* The same as kt_stacks_take() without frames of the kernel. */
const struct kt_frames *kt_stacks_take_program(bool by_tables);

/*
 * Makes room for up to max stacks of a session, each kept once; by_tables: with the places of their
 * frames in files. Processes are numbered as current sees them. Process context, without
 * kt_control. Returns NULL if there is no memory.
 */
struct kt_stacks *kt_stacks_create(u64 session, u32 max, bool by_tables);
void kt_stacks_put(struct kt_stacks *stacks);	/* no hit uses it any more */

#define KT_STACK_NONE KTRACE_STACK_NONE
/*
 * Keeps a stack of current. Returns its number, or KT_STACK_NONE if there is no room. Interrupts
 * are off; not in an NMI.
 */
u32 kt_stacks_keep(struct kt_stacks *stacks, const struct kt_frames *frames);
/* Returns the number of a stack that was kept, or KT_STACK_NONE. RCU reader. */
u32 kt_stacks_find(const struct kt_stacks *stacks, u64 key);

/* A stack that was kept. */
struct kt_kept {
	struct kt_frames frames;
	s32 pid;			/* frames.tgid, as the creator of the session numbers it */
	bool has_places;
	u64 places[KTRACE_STACK_FRAMES];	/* of the program's frames (unwind_places.h) */
};

/* Returns false if there is no stack with number nr yet. Process context. */
bool kt_stacks_get(struct kt_stacks *stacks, u32 nr, struct kt_kept *kept);
/* Does current number processes as the creator of the session does? Process context. */
bool kt_stacks_is_numbered_for_current(const struct kt_stacks *stacks);

#endif
