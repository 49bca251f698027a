/* SPDX-License-Identifier: GPL-2.0 WITH Linux-syscall-note */
/*
 * ktrace: the format of a table for unwinding stacks without frame pointers.
 *
 * A table says for each instruction of one ELF file where the caller's registers are. It is
 * compiled from the file's .eh_frame. Instructions are identified by their offset in the file, as
 * uprobes are, so one table serves all processes that map the file. The parts follow each other
 * without padding:
 *
 *   +----------------------------+
 *   | struct ktrace_unwind_head  |
 *   +----------------------------+
 *   | pages[nr_pages + 1]        |  __u32: the first row of each 4 KiB of the file; then nr_rows
 *   +----------------------------+
 *   | rules[nr_rules]            |  struct ktrace_unwind_rule, each different
 *   +----------------------------+
 *   | rows[nr_rows]              |  struct ktrace_unwind_row, by offset
 *   +----------------------------+
 *
 * A row holds up to the next row, which may be on a later page. The first row of pages[] belongs to
 * the offsets from first_page << KTRACE_UNWIND_PAGE_BITS on.
 */
#ifndef _UAPI_KTRACE_UNWIND_H
#define _UAPI_KTRACE_UNWIND_H

#include <linux/types.h>

#define KTRACE_UNWIND_VERSION	2	/* 1 had no kinds from OTHER on */
#define KTRACE_UNWIND_PAGE_BITS	12
#define KTRACE_UNWIND_MAX_PAGES	(1U << 18)	/* a file may have code in its first GiB */
#define KTRACE_UNWIND_MAX_RULES	16384
#define KTRACE_UNWIND_MAX_ROWS	(1U << 22)	/* 16 MiB; large browsers have 3 million */

struct ktrace_unwind_head {
	__u32 version;		/* KTRACE_UNWIND_VERSION */
	__u32 first_page;
	__u32 nr_pages;
	__u32 nr_rules;
	__u32 nr_rows;
	__u32 pad;		/* 0 */
};

struct ktrace_unwind_row {
	__u16 low;		/* the last KTRACE_UNWIND_PAGE_BITS of the offset */
	__u16 rule;
};

/*
 * How the CFA is computed: the stack pointer of the caller after the call returns. All kinds from
 * RSP on, except RETURN, have the return address below it, at CFA - 8.
 */
#define KTRACE_UNWIND_CFA_NONE		0	/* .eh_frame has no rule for this code */
#define KTRACE_UNWIND_CFA_COMPLEX	1	/* it has one that a table cannot express */
#define KTRACE_UNWIND_CFA_END		2	/* the function has no caller */
#define KTRACE_UNWIND_CFA_SIGNAL	3	/* a handler returns here: a ucontext is at rsp */
#define KTRACE_UNWIND_CFA_RSP		4	/* rsp + cfa_offset */
#define KTRACE_UNWIND_CFA_RBP		5	/* rbp + cfa_offset */
#define KTRACE_UNWIND_CFA_RBX		6	/* rbx + cfa_offset */
#define KTRACE_UNWIND_CFA_AT_RSP	7	/* the word at rsp + cfa_offset, + cfa_add */
#define KTRACE_UNWIND_CFA_AT_RBP	8	/* the word at rbp + cfa_offset, + cfa_add */
/* rsp + 8, or + 16 if the last 4 bits of the address are cfa_offset or more: linkage table (PLT) */
#define KTRACE_UNWIND_CFA_PLT		9
/*
 * The register cfa_add is needed, by its number in DWARF. All registers are known where a program
 * was interrupted, or made a system call. Behind a call, a rule that needs a register which calls
 * may change promises that the called functions leave it alone, as assemblers write them.
 */
#define KTRACE_UNWIND_CFA_OTHER		10	/* the register + cfa_offset */
#define KTRACE_UNWIND_CFA_AT_INDEX	11	/* word at rsp + cfa_offset + 8 * register, + 8 */
#define KTRACE_UNWIND_CFA_RETURN	12	/* rsp + cfa_offset; register: the return address */
#define KTRACE_UNWIND_NR_CFAS		13
#define KTRACE_UNWIND_NR_OTHERS		16	/* registers */

/* Where a register of the caller is. */
#define KTRACE_UNWIND_REG_SAME		0	/* it is unchanged */
#define KTRACE_UNWIND_REG_LOST		1	/* it is not known */
#define KTRACE_UNWIND_REG_CFA		2	/* at CFA + offset */
#define KTRACE_UNWIND_REG_RBP		3	/* at rbp + offset */
#define KTRACE_UNWIND_REG_RSP		4	/* at rsp + offset */
#define KTRACE_UNWIND_NR_REGS		5

struct ktrace_unwind_rule {
	__s32 cfa_offset;
	__s16 rbp_offset;
	__s16 rbx_offset;
	__u8 cfa;		/* KTRACE_UNWIND_CFA_* */
	__u8 cfa_add;		/* a number; from CFA_OTHER on, a register */
	__u8 rbp;		/* KTRACE_UNWIND_REG_* */
	__u8 rbx;
};

#endif
