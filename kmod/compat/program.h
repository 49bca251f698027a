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

/* Are these the registers of a program at a system call? Otherwise something has interrupted it. */
static inline bool kt_is_at_syscall(const struct pt_regs *regs)
{
	return (long)regs->orig_ax >= 0;
}

/*
 * Returns the program's stack pointer, or 0 if the kernel does not save it: kernels with usersp do
 * not save it at each system call.
 */
static inline unsigned long kt_user_sp(const struct pt_regs *regs)
{
#ifdef KT_HAVE_THREAD_USERSP
	return kt_is_at_syscall(regs) ? 0 : regs->sp;
#else
	return regs->sp;
#endif
}

/*
 * Returns the lowest address of a frame on the program's stack; regs are the program's registers.
 * Where the stack pointer is not saved, the frame pointer must do.
 */
static inline unsigned long kt_user_stack_floor(const struct pt_regs *regs)
{
	return kt_user_sp(regs) ?: regs->bp;
}

/* Which registers of a program are saved that lead to its callers. */
enum kt_user_regs {
	KT_USER_REGS_NONE,	/* ip only */
	KT_USER_REGS_SP,	/* ip and sp */
	KT_USER_REGS_FRAME,	/* ip, sp and bp */
	KT_USER_REGS_ALL
};

/*
 * is_here: the event itself has interrupted the program. At a system call, kernels before 4.17 save
 * the registers that C code keeps only if the call is traced. At an interrupt, kernels with usersp
 * save only bp of them, and overwrite it when the interrupt returns to another task. At an
 * exception, all are saved. orig_ax is -1 there, and lower at an interrupt.
 */
static inline enum kt_user_regs kt_user_regs_saved(const struct pt_regs *regs, bool is_here)
{
#ifndef CONFIG_ARCH_HAS_SYSCALL_WRAPPER
	if (!is_here && kt_is_at_syscall(regs))
		return KT_USER_REGS_NONE;
#endif
#ifdef KT_HAVE_THREAD_USERSP
	if ((long)regs->orig_ax < -1)
		return is_here ? KT_USER_REGS_FRAME : KT_USER_REGS_SP;
#endif
	return KT_USER_REGS_ALL;
}

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
