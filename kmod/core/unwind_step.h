/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_UNWIND_STEP_H
#define KT_UNWIND_STEP_H

#include <linux/compiler.h>
#include <linux/types.h>

#include <uapi/ktrace_unwind.h>

/*
 * The registers of one frame. rbx is needed by few rules (the lazy binding of the loader is one),
 * so only its place is kept, and rbx is read when a rule needs it. The same holds for all registers
 * together: those of the first frame, or of the last one that a signal has interrupted.
 */
struct kt_unwind_regs {
	u64 ip, sp, bp, bx;
	u64 bx_at;		/* the address where bx was saved; 0: bx itself is valid */
	const unsigned long *first;	/* all registers of the first frame, as in struct pt_regs */
	u64 all_at;		/* the address of a ucontext with all; or KT_UNWIND_*_ALL */
	bool has_bp, has_bx;	/* they are known */
	bool is_exact;		/* ip is the next instruction; otherwise it is behind a call */
};

#define KT_UNWIND_NOT_ALL	0	/* they are not known */
#define KT_UNWIND_FIRST_ALL	1	/* they are in first */

enum kt_unwind_result {
	KT_UNWIND_NEXT,		/* the registers are those of the caller */
	KT_UNWIND_END,		/* there is no caller */
	KT_UNWIND_NO_RULE,	/* the file has no rule for this code */
	KT_UNWIND_COMPLEX,	/* the rule, or a register that it needs, cannot be expressed */
	KT_UNWIND_UNREADABLE,	/* the stack cannot be read */
};

/* Copies len (at most 64) bytes of the program. Returns false if they cannot be read. */
typedef bool (*kt_unwind_read)(void *arg, u64 addr, void *to, unsigned int len);

/*
 * Returns the address whose rule counts: that of the instruction, or the last byte of the call,
 * since another function may begin behind a call that does not return.
 */
static inline u64 kt_unwind_place(const struct kt_unwind_regs *regs)
{
	return regs->ip - !regs->is_exact;
}

/* Almost all rules: the CFA is rsp or rbp + an offset, and the registers are saved at the CFA. */
static inline bool kt_unwind_is_usual(const struct ktrace_unwind_rule *rule)
{
	return (rule->cfa == KTRACE_UNWIND_CFA_RSP || rule->cfa == KTRACE_UNWIND_CFA_RBP) &&
	       (rule->rbp == KTRACE_UNWIND_REG_SAME || rule->rbp == KTRACE_UNWIND_REG_CFA) &&
	       (rule->rbx == KTRACE_UNWIND_REG_SAME || rule->rbx == KTRACE_UNWIND_REG_CFA);
}

/*
 * kt_unwind_step() for a usual rule. It is inlined together with read, which takes most of the time
 * of a step otherwise.
 */
static __always_inline enum kt_unwind_result
kt_unwind_step_usual(struct kt_unwind_regs *regs, const struct ktrace_unwind_rule *rule,
		     kt_unwind_read read, void *arg)
{
	u64 cfa = regs->sp, ip, bp;

	if (rule->cfa == KTRACE_UNWIND_CFA_RBP) {
		if (!regs->has_bp)
			return KT_UNWIND_COMPLEX;
		cfa = regs->bp;
	}
	cfa += rule->cfa_offset;
	if (!read(arg, cfa - sizeof(ip), &ip, sizeof(ip)))
		return KT_UNWIND_UNREADABLE;
	if (!ip)
		return KT_UNWIND_END;
	if (rule->rbp != KTRACE_UNWIND_REG_SAME) {
		if (!read(arg, cfa + rule->rbp_offset, &bp, sizeof(bp)))
			return KT_UNWIND_UNREADABLE;
		regs->bp = bp;
		regs->has_bp = true;
	}
	if (rule->rbx != KTRACE_UNWIND_REG_SAME) {
		regs->bx_at = cfa + rule->rbx_offset;
		regs->has_bx = regs->bx_at;
	}
	regs->ip = ip;
	regs->sp = cfa;
	regs->is_exact = false;
	return KT_UNWIND_NEXT;
}

/*
 * Changes regs to those of the caller, by the rule of kt_unwind_place(). If the result is not
 * KT_UNWIND_NEXT, regs stay as they are. Any context in which read works; it calls read at most
 * four times. A damaged stack may lead in a circle, so the caller limits the number of steps.
 */
enum kt_unwind_result kt_unwind_step(struct kt_unwind_regs *regs,
				     const struct ktrace_unwind_rule *rule, kt_unwind_read read,
				     void *arg);

#endif
