// SPDX-License-Identifier: GPL-2.0
/*
 * Frames of a program by its frame pointers: rbp points to the rbp of the caller, and the word
 * above is the return address. A value that cannot be a frame pointer ends the stack. The caller of
 * the innermost function may be missing in them (wrapper.h).
 */
#include <asm/ptrace.h>

#include <uapi/ktrace.h>

#include "compat/program.h"
#include "core/frame_pointers.h"
#include "core/wrapper.h"

void kt_frame_pointers_take_wrapper(struct kt_frames *frames, const struct pt_regs *regs)
{
	unsigned long floor = kt_user_stack_floor(regs), returns = 0, caller;

	if (kt_is_frame_pointer(regs->bp, floor) &&
	    !kt_user_read(&returns, regs->bp + sizeof(returns), sizeof(returns)))
		return;
	caller = kt_wrapper_caller(regs, returns);
	if (caller)
		kt_frames_add_user(frames, caller);
}

static void frame_pointers_take_callers(struct kt_frames *frames, const struct pt_regs *regs,
					unsigned long floor)
{
	unsigned long frame[2] = { 0 }, at = regs->bp;

	pagefault_disable();
	while (kt_is_frame_pointer(at, floor)) {
		if (!kt_read_frame(frame, at)) {
			frames->flags |= KTRACE_STACK_USER_GONE;
			break;
		}
		if (!frame[1] || frame[1] >= TASK_SIZE_MAX ||
		    !kt_frames_add_user(frames, frame[1]) || frame[0] <= at)
			break;
		at = frame[0];
	}
	pagefault_enable();
}

void kt_frame_pointers_take(struct kt_frames *frames, const struct pt_regs *regs,
			    bool is_interrupted)
{
	kt_frames_add_user(frames, regs->ip);
	if (!is_interrupted)
		kt_frame_pointers_take_wrapper(frames, regs);
	frame_pointers_take_callers(frames, regs,
				    is_interrupted ? regs->sp : kt_user_stack_floor(regs));
}
