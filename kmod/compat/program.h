/* SPDX-License-Identifier: GPL-2.0 */
/* The program of a user task. */
#ifndef KT_COMPAT_PROGRAM_H
#define KT_COMPAT_PROGRAM_H

#include <linux/ptrace.h>
#include <linux/sched.h>
#include <linux/thread_info.h>

/* Returns a number of the program of current, which each exec changes. */
static inline u32 kt_exec_id(void)
{
#ifdef KT_HAVE_RH_EXEC_ID
	return current->task_struct_rh->self_exec_id;
#else
	return current->self_exec_id;
#endif
}

/*
 * Returns the lowest address of a frame on the program's stack; regs are the program's registers.
 * Kernels with usersp do not save sp at each system call, so the frame pointer must do there.
 */
static inline unsigned long kt_user_stack_floor(const struct pt_regs *regs)
{
#ifdef KT_HAVE_THREAD_USERSP
	return regs->bp;
#else
	return regs->sp;
#endif
}

/* Returns the program's stack pointer, or 0 if the kernel does not save it. */
static inline unsigned long kt_user_sp(const struct pt_regs *regs)
{
#ifdef KT_HAVE_THREAD_USERSP
	return 0;
#else
	return regs->sp;
#endif
}

/*
 * Does a system call save all registers of the program? Kernels before 4.17 save those that C code
 * keeps only if the call is traced.
 */
#ifdef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
#define KT_HAS_ALL_USER_REGS true
#else
#define KT_HAS_ALL_USER_REGS false
#endif

/* Does the processor check the returns of current against a second stack? */
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
