// SPDX-License-Identifier: GPL-2.0
/* One step from a frame of a program to its caller. Tests in user space include this file. */
#include <linux/string.h>

#include "core/unwind_step.h"

/* The part of the kernel's struct ucontext, at rsp in a signal's return, from rbp to rip. */
#define UCONTEXT_RBP	120
struct unwind_step_ucontext {
	u64 bp, bx, dx, ax, cx, sp, ip;
};

/* mov $15, %rax; syscall: some C libraries return from signals with it, but have no rule for it. */
static const u8 unwind_step_restorer[] = { 0x48, 0xc7, 0xc0, 0x0f, 0, 0, 0, 0x0f, 0x05 };

static enum kt_unwind_result unwind_step_signal(struct kt_unwind_regs *regs, kt_unwind_read read,
						void *arg)
{
	struct unwind_step_ucontext context;

	if (!read(arg, regs->sp + UCONTEXT_RBP, &context, sizeof(context)))
		return KT_UNWIND_UNREADABLE;
	if (!context.ip)
		return KT_UNWIND_END;
	regs->ip = context.ip;
	regs->sp = context.sp;
	regs->bp = context.bp;
	regs->bx = context.bx;
	regs->bx_at = 0;
	regs->has_bp = true;
	regs->has_bx = true;
	regs->is_exact = true;
	return KT_UNWIND_NEXT;
}

static enum kt_unwind_result unwind_step_without(struct kt_unwind_regs *regs, kt_unwind_read read,
						 void *arg)
{
	u8 code[sizeof(unwind_step_restorer)];

	if (!read(arg, regs->ip, code, sizeof(code)) ||
	    memcmp(code, unwind_step_restorer, sizeof(code)))
		return KT_UNWIND_NO_RULE;
	return unwind_step_signal(regs, read, arg);
}

static enum kt_unwind_result unwind_step_word(const struct ktrace_unwind_rule *rule, u64 base,
					      u64 *cfa, kt_unwind_read read, void *arg)
{
	if (!read(arg, base + rule->cfa_offset, cfa, sizeof(*cfa)))
		return KT_UNWIND_UNREADABLE;
	*cfa += rule->cfa_add;
	return KT_UNWIND_NEXT;
}

static enum kt_unwind_result unwind_step_rbx(const struct kt_unwind_regs *regs, u64 *bx,
					     kt_unwind_read read, void *arg)
{
	*bx = regs->bx;
	if (!regs->has_bx)
		return KT_UNWIND_COMPLEX;
	return !regs->bx_at || read(arg, regs->bx_at, bx, sizeof(*bx)) ? KT_UNWIND_NEXT :
									KT_UNWIND_UNREADABLE;
}

static enum kt_unwind_result unwind_step_cfa(const struct kt_unwind_regs *regs,
					     const struct ktrace_unwind_rule *rule, u64 *cfa,
					     kt_unwind_read read, void *arg)
{
	enum kt_unwind_result result;

	switch (rule->cfa) {
	case KTRACE_UNWIND_CFA_RSP:
		*cfa = regs->sp + rule->cfa_offset;
		return KT_UNWIND_NEXT;
	case KTRACE_UNWIND_CFA_RBP:
		*cfa = regs->bp + rule->cfa_offset;
		return regs->has_bp ? KT_UNWIND_NEXT : KT_UNWIND_COMPLEX;
	case KTRACE_UNWIND_CFA_RBX:
		result = unwind_step_rbx(regs, cfa, read, arg);
		*cfa += rule->cfa_offset;
		return result;
	case KTRACE_UNWIND_CFA_AT_RSP:
		return unwind_step_word(rule, regs->sp, cfa, read, arg);
	case KTRACE_UNWIND_CFA_AT_RBP:
		return regs->has_bp ? unwind_step_word(rule, regs->bp, cfa, read, arg) :
				      KT_UNWIND_COMPLEX;
	case KTRACE_UNWIND_CFA_PLT:
		*cfa = regs->sp + 8 + ((regs->ip & 15) >= (u32)rule->cfa_offset ? 8 : 0);
		return KT_UNWIND_NEXT;
	default:
		return KT_UNWIND_COMPLEX;
	}
}

/* Returns the address where a register of the caller is, or 0. */
static u64 unwind_step_saved(const struct kt_unwind_regs *regs, u8 reg, int offset, u64 cfa)
{
	switch (reg) {
	case KTRACE_UNWIND_REG_CFA:
		return cfa + offset;
	case KTRACE_UNWIND_REG_RBP:
		return regs->has_bp ? regs->bp + offset : 0;
	case KTRACE_UNWIND_REG_RSP:
		return regs->sp + offset;
	default:
		return 0;
	}
}

/* Reads the return address, and rbp if it was saved. Returns false if the stack cannot be read. */
static bool unwind_step_words(const struct kt_unwind_regs *regs,
			      const struct ktrace_unwind_rule *rule, u64 cfa, u64 *ip, u64 *bp,
			      kt_unwind_read read, void *arg)
{
	u64 saved = unwind_step_saved(regs, rule->rbp, rule->rbp_offset, cfa);

	*bp = regs->bp;
	return read(arg, cfa - sizeof(*ip), ip, sizeof(*ip)) &&
	       (!saved || read(arg, saved, bp, sizeof(*bp)));
}

static enum kt_unwind_result unwind_step_call(struct kt_unwind_regs *regs,
					      const struct ktrace_unwind_rule *rule,
					      kt_unwind_read read, void *arg)
{
	enum kt_unwind_result result;
	u64 cfa, ip, bp, saved;

	result = unwind_step_cfa(regs, rule, &cfa, read, arg);
	if (result != KT_UNWIND_NEXT)
		return result;
	if (!unwind_step_words(regs, rule, cfa, &ip, &bp, read, arg))
		return KT_UNWIND_UNREADABLE;
	if (!ip)
		return KT_UNWIND_END;
	if (rule->rbx != KTRACE_UNWIND_REG_SAME) {
		saved = unwind_step_saved(regs, rule->rbx, rule->rbx_offset, cfa);
		regs->has_bx = saved;
		regs->bx_at = saved;
	}
	if (rule->rbp != KTRACE_UNWIND_REG_SAME)
		regs->has_bp = unwind_step_saved(regs, rule->rbp, rule->rbp_offset, cfa);
	regs->ip = ip;
	regs->bp = bp;
	regs->sp = cfa;
	regs->is_exact = false;
	return KT_UNWIND_NEXT;
}

enum kt_unwind_result kt_unwind_step(struct kt_unwind_regs *regs,
				     const struct ktrace_unwind_rule *rule, kt_unwind_read read,
				     void *arg)
{
	if (kt_unwind_is_usual(rule))
		return kt_unwind_step_usual(regs, rule, read, arg);
	if (rule->cfa >= KTRACE_UNWIND_CFA_RSP)
		return unwind_step_call(regs, rule, read, arg);
	switch (rule->cfa) {
	case KTRACE_UNWIND_CFA_NONE:
		return unwind_step_without(regs, read, arg);
	case KTRACE_UNWIND_CFA_END:
		return KT_UNWIND_END;
	case KTRACE_UNWIND_CFA_SIGNAL:
		return unwind_step_signal(regs, read, arg);
	default:
		return KT_UNWIND_COMPLEX;
	}
}
