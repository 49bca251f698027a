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

/* Of kt_arch_read_cycles(), if it is the same on all CPUs and goes on in idle ones; else 0. */
u32 kt_arch_cycles_khz(void);

/* This CPU's. get_cycles() asks each time if there are any; here kt_arch_cycles_khz() was asked. */
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

/* This CPU's, read after all earlier instructions and before all later ones. */
u64 kt_arch_cycles(void);

/* (a * b) >> 32. C's 128 bits cost a function its stack pointer: they may be spilled, aligned. */
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

/* The system call that user/system/null_call.c makes: has a number, and does nothing. */
#define KT_ARCH_NULL_CALL __NR_nfsservctl

/* KTRACE_FAULT_*, of the error code that the processor gives with a page fault. */
static inline u32 kt_arch_fault_kind(unsigned long error_code)
{
	const unsigned long written = 1 << 1, fetched = 1 << 4;

	return error_code & written ? KTRACE_FAULT_WRITE :
	       error_code & fetched ? KTRACE_FAULT_EXEC : KTRACE_FAULT_READ;
}

/*
 * Does the instruction at regs' ip leave its function, and where to? Task context,
 * may sleep. 1, 0, or -EFAULT when the target of a jump cannot be read.
 */
int kt_arch_leaves(const struct ktrace_exit *exit, const struct ktrace_func *func,
		   struct pt_regs *regs, unsigned long *target);

/* Of current, in user mode: the word at an address, 0 if it is not in memory; where it is. */
unsigned long kt_arch_word(unsigned long addr);
unsigned long kt_arch_ip(void);

/* Would a jbe at regs' ip jump? */
bool kt_arch_is_jbe_taken(const struct pt_regs *regs);

/*
 * Was the return at this place done already, by a handler before this one? Where
 * handlers may set ip, the first of several sessions' does it for all.
 */
bool kt_arch_has_returned(const struct ktrace_exit *exit, const struct pt_regs *regs);

/*
 * Returns in place of the instruction, where the kernel lets a handler do so:
 * this saves the trap of a single step. Task context, may sleep.
 */
void kt_arch_return(const struct ktrace_exit *exit, struct pt_regs *regs);

/* At its first instruction: a function's argument, 0 to KTRACE_MAX_ARGS - 1. */
unsigned long kt_arch_arg(const struct pt_regs *regs, u32 nr);
extern DECLARE_BITMAP(kt_arch_movers, KTRACE_NR_SYSCALLS);
extern DECLARE_BITMAP(kt_arch_filers, KTRACE_NR_SYSCALLS);
extern DECLARE_BITMAP(kt_arch_namers, KTRACE_NR_SYSCALLS);
extern DECLARE_BITMAP(kt_arch_at_namers, KTRACE_NR_SYSCALLS);

/* A system call's number, as in ktrace.h: does what it returns count bytes that it moved? */
static inline bool kt_arch_moves_bytes(u32 syscall)
{
	return test_bit(syscall, kt_arch_movers);
}

/* Is its first argument a file's descriptor? */
static inline bool kt_arch_takes_file(u32 syscall)
{
	return test_bit(syscall, kt_arch_filers);
}

/*
 * A system call's number: how it moves bytes between memory and one file, its first argument;
 * 0: it does not. The third argument is the bytes at most; of vectors, which are the second one,
 * how many there are.
 */
#define KT_TRANSFER		(1 << 0)
#define KT_TRANSFER_WRITES	(1 << 1)
#define KT_TRANSFER_VECTORS	(1 << 2)
#define KT_TRANSFER_AT		(1 << 3)	/* from where it says; else the file's position */
#define KT_TRANSFER_FLAGS	(1 << 4)	/* RWF_*: the sixth; at -1 is the file's position */
u32 kt_arch_transfer(u32 syscall);
u64 kt_arch_transfer_at(u32 syscall, const unsigned long args[6]);

/* Which of its arguments points to a path, the first that does? -1: none. */
static inline int kt_arch_path_arg(u32 syscall)
{
	if (test_bit(syscall, kt_arch_namers))
		return 0;
	return test_bit(syscall, kt_arch_at_namers) ? 1 : -1;
}

/* One of 64 bits: does it move bytes of one file, its first argument, and of no other? */
bool kt_arch_is_transfer(long nr);

/* At its return. */
unsigned long kt_arch_result(const struct pt_regs *regs);

#endif
