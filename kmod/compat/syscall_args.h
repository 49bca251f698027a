/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_SYSCALL_ARGS_H
#define KT_COMPAT_SYSCALL_ARGS_H

#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/thread_info.h>
#include <linux/tracepoint.h>
#include <asm/syscall.h>

/* Is current in a 32-bit system call? */
static inline bool kt_is_compat_syscall(void)
{
#ifdef KT_HAVE_IN_IA32_SYSCALL
	return in_ia32_syscall();
#else
	return is_ia32_task();
#endif
}

/* Reads the arguments of the system call that current is in. */
static inline void kt_syscall_args(struct pt_regs *regs, unsigned long args[6])
{
#ifdef KT_HAVE_SYSCALL_ARGS_RANGE
	syscall_get_arguments(current, regs, 0, 6, args);
#else
	syscall_get_arguments(current, regs, args);
#endif
}

/* Returns the first argument. */
static inline unsigned long kt_syscall_arg(struct pt_regs *regs)
{
	unsigned long args[6];

	kt_syscall_args(regs, args);
	return args[0];
}

/*
 * The body of a probe of sys_enter or sys_exit runs between these two, with preemption off. From
 * 6.13 on, such a probe may sleep, and is called with preemption on.
 */
#ifdef DECLARE_TRACE_SYSCALL
#define kt_syscall_event_begin() rcu_read_lock_sched()
#define kt_syscall_event_end() rcu_read_unlock_sched()
#else
#define kt_syscall_event_begin() do {} while (0)
#define kt_syscall_event_end() do {} while (0)
#endif

#endif
