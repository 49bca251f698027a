/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_UNWIND_WALK_H
#define KT_UNWIND_WALK_H

#include <linux/types.h>

struct kt_frames;
struct pt_regs;

/*
 * Takes the frames of current's program by tables, at most KTRACE_STACK_FRAMES. regs and
 * is_interrupted: as for kt_frame_pointers_take(). Returns false if it has taken none, because
 * there is no map of the process yet, or the kernel has not saved all registers. Hits; interrupts
 * are off; not in an NMI. It takes no lock.
 */
bool kt_unwind_walk(struct kt_frames *frames, const struct pt_regs *regs, bool is_interrupted);

#endif
