/* SPDX-License-Identifier: GPL-2.0 */
/* What a task of user space runs. */
#ifndef KT_COMPAT_PROGRAM_H
#define KT_COMPAT_PROGRAM_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/thread_info.h>

/* How many programs current's process has been, roughly: another one has another. */
static inline u32 kt_exec_id(void)
{
#ifdef KT_HAVE_RH_EXEC_ID
	return current->task_struct_rh->self_exec_id;
#else
	return current->self_exec_id;
#endif
}

/*
 * No frame of the program's stack is below it, whose registers these are. Kernels with usersp
 * do not save sp at each system call: the frame pointer has to be enough then.
 */
static inline unsigned long kt_user_stack_floor(const struct pt_regs *regs)
{
#ifdef KT_HAVE_THREAD_USERSP
	return regs->bp;
#else
	return regs->sp;
#endif
}

/* Does the processor check current's returns against a second stack? */
#ifdef KT_HAVE_USER_SHSTK
#include <asm/prctl.h>
static inline bool kt_has_shadow_stack(void)
{
	return current->thread.features & ARCH_SHSTK_SHSTK;
}
#elif defined(CONFIG_X86_USER_SHADOW_STACK)
#error "ktrace: shadow stacks of this kernel are not those that ktrace knows"
#else
static inline bool kt_has_shadow_stack(void)
{
	return false;
}
#endif

#endif
