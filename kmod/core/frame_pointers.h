/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FRAME_POINTERS_H
#define KT_FRAME_POINTERS_H

#include <linux/mm.h>
#include <linux/types.h>
#include <linux/uaccess.h>

#include "core/frames.h"

struct pt_regs;

/* Bytes: a register that is further up from the stack pointer is not a frame pointer. */
#define KT_MOST_STACK (64UL << 20)

static inline bool kt_is_frame_pointer(unsigned long at, unsigned long floor)
{
	return !(at % sizeof(long)) && at >= floor && at - floor < KT_MOST_STACK;
}

/*
 * Reads rbp and the return address of a frame, with page faults disabled. Two reads of a word take
 * half the instructions of a copy. Returns false if they are not in memory.
 */
static __always_inline bool kt_read_frame(unsigned long frame[2], unsigned long at)
{
	const unsigned long __user *from = (const unsigned long __user *)at;

	return at < TASK_SIZE_MAX - 2 * sizeof(*from) && !__get_user(frame[0], from) &&
	       !__get_user(frame[1], from + 1);
}

/*
 * Takes the frames of a program by its frame pointers. regs are its registers; is_interrupted: they
 * are not those of a system call or an exception, but of an interrupt. Hits.
 */
void kt_frame_pointers_take(struct kt_frames *frames, const struct pt_regs *regs,
			    bool is_interrupted);

/*
 * Adds the caller of the function that made a system call if that function may have no frame: then
 * rbp leads to the frame of its caller. Hits.
 */
void kt_frame_pointers_take_wrapper(struct kt_frames *frames, const struct pt_regs *regs);

#endif
