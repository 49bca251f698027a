/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_ARCH_H
#define KT_ARCH_H

#include <linux/bitmap.h>
#include <linux/math64.h>
#include <linux/timex.h>
#include <linux/types.h>

#include <asm/unistd.h>
#include <uapi/ktrace.h>

struct ktrace_exit;
struct ktrace_func;
struct pt_regs;

void kt_arch_init(void);

/*
 * Returns the rate of kt_arch_read_cycles(), if it is the same on all CPUs and goes on in idle
 * CPUs; else 0.
 */
u32 kt_arch_cycles_khz(void);

/*
 * Returns the cycles of this CPU. Unlike get_cycles(), this does not check whether there are any:
 * the caller has called kt_arch_cycles_khz().
 */
static inline u64 kt_arch_read_cycles(void)
{
#ifdef CONFIG_X86_64
	u32 low, high;

	asm volatile("rdtsc" : "=a" (low), "=d" (high));
	return (u64)high << 32 | low;
#else
	return get_cycles();
#endif
}

/* Returns the cycles of this CPU, read after all earlier instructions and before all later ones. */
u64 kt_arch_cycles(void);

/*
 * Returns (a * b) >> 32. With a 128-bit type, which may be spilled with alignment, the compiler
 * would set up an aligned stack frame.
 */
static inline u64 kt_arch_mul_shr32(u64 a, u64 b)
{
#ifdef CONFIG_X86_64
	u64 high;

	asm("mulq %2\n\tshrdq $32, %1, %0" : "+a" (a), "=&d" (high) : "rm" (b) : "cc");
	return a;
#else
	return mul_u64_u64_shr(a, b, 32);
#endif
}

/* The system call that user/system/null_call.c makes: it has a number, and does nothing. */
#define KT_ARCH_NULL_CALL __NR_nfsservctl

/* Returns KTRACE_FAULT_* for the error code of a page fault. */
static inline u32 kt_arch_fault_kind(unsigned long error_code)
{
	const unsigned long written = 1 << 1, fetched = 1 << 4;

	return error_code & written ? KTRACE_FAULT_WRITE :
	       error_code & fetched ? KTRACE_FAULT_EXEC : KTRACE_FAULT_READ;
}

/*
 * Returns 1 if the instruction at regs' ip leaves its function, 0 if it does not, and -EFAULT if
 * the target of a jump cannot be read. Sets *target for a jump. Task context, may sleep.
 */
int kt_arch_leaves(const struct ktrace_exit *exit, const struct ktrace_func *func,
		   struct pt_regs *regs, unsigned long *target);

/* Returns the word at a user address of current, or 0 if it is not in memory. */
unsigned long kt_arch_word(unsigned long addr);
/*
 * Returns the address of current's thread control block, which thread libraries put at the top of
 * the memory of a thread's stack, or 0 if it is not found.
 */
unsigned long kt_arch_thread_top(void);
/* Returns the user mode ip of current. */
unsigned long kt_arch_ip(void);

/* Would a jbe at regs' ip jump? */
bool kt_arch_is_jbe_taken(const struct pt_regs *regs);

/*
 * Has a handler before this one done the return at this place? Where handlers may set ip, the first
 * handler returns for the handlers of all sessions.
 */
bool kt_arch_has_returned(const struct ktrace_exit *exit, const struct pt_regs *regs);

/*
 * Does the return in place of the instruction, where the kernel allows a handler to set ip. This
 * saves the trap of a single step. Task context, may sleep.
 */
void kt_arch_return(const struct ktrace_exit *exit, struct pt_regs *regs);

/* Returns argument nr, from 0 to KTRACE_MAX_ARGS - 1, at the first instruction of a function. */
unsigned long kt_arch_arg(const struct pt_regs *regs, u32 nr);
extern DECLARE_BITMAP(kt_arch_movers, KTRACE_NR_SYSCALLS);
extern DECLARE_BITMAP(kt_arch_filers, KTRACE_NR_SYSCALLS);
extern DECLARE_BITMAP(kt_arch_namers, KTRACE_NR_SYSCALLS);
extern DECLARE_BITMAP(kt_arch_at_namers, KTRACE_NR_SYSCALLS);

/* Does the system call, numbered as in ktrace.h, return the number of bytes that it moved? */
static inline bool kt_arch_moves_bytes(u32 syscall)
{
	return test_bit(syscall, kt_arch_movers);
}

/* Is the first argument of the system call a file descriptor? */
static inline bool kt_arch_takes_file(u32 syscall)
{
	return test_bit(syscall, kt_arch_filers);
}

/*
 * Returns KT_TRANSFER_* if the system call moves bytes between memory and one file, which is its
 * first argument; else 0. The third argument is the most bytes to move. With KT_TRANSFER_VECTORS,
 * the second argument is an array of vectors, and the third their number.
 */
#define KT_TRANSFER		(1 << 0)
#define KT_TRANSFER_WRITES	(1 << 1)
#define KT_TRANSFER_VECTORS	(1 << 2)
#define KT_TRANSFER_AT		(1 << 3)	/* at an offset in its arguments */
#define KT_TRANSFER_FLAGS	(1 << 4)	/* RWF_* in argument 6; offset may be -1 */
u32 kt_arch_transfer(u32 syscall);
/* Returns the offset of a system call with KT_TRANSFER_AT; -1 with FLAGS: the file position. */
u64 kt_arch_transfer_at(u32 syscall, const unsigned long args[6]);

/* Returns the number of the first argument that points to a path, from 0, or -1. */
static inline int kt_arch_path_arg(u32 syscall)
{
	if (test_bit(syscall, kt_arch_namers))
		return 0;
	return test_bit(syscall, kt_arch_at_namers) ? 1 : -1;
}

/* Does the 64-bit system call move bytes between memory and one file? See kt_arch_transfer(). */
bool kt_arch_is_transfer(long nr);

/* Returns the result of a function, at its return. */
unsigned long kt_arch_result(const struct pt_regs *regs);

#endif
