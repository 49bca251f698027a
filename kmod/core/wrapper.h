/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_WRAPPER_H
#define KT_WRAPPER_H

#include <linux/types.h>

#include <asm/ptrace.h>

/* Reads memory of current. Returns false without a fault if it is not in memory. Any context. */
bool kt_user_read(void *to, unsigned long from, size_t len);

/*
 * Most of libc has no frame pointers: in a function that makes a system call, rbp still points to
 * the frame of its caller. Returns the return address of such a function, which no frame has, or
 * 0. returns is the return address in the frame of rbp, or 0.
 */
unsigned long kt_wrapper_caller(const struct pt_regs *regs, unsigned long returns);

#endif
