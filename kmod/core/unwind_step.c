// SPDX-License-Identifier: GPL-2.0
/* One step from a frame of a program to its caller. Tests in user space include this file. */
#include <linux/string.h>

#include "core/unwind_step.h"

/*
 * The part of the kernel's struct ucontext, at rsp in a signal's return, from rbp to rip; and where
 * its registers begin.
 */
#define UCONTEXT_RBP	120
#define UCONTEXT_REGS	40
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
	regs->all_at = regs->sp + UCONTEXT_REGS;
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

/* Where registers are, by their numbers in DWARF: in struct pt_regs, and in a ucontext. */
static const u8 unwind_step_in_first[KTRACE_UNWIND_NR_OTHERS] = {
	10, 12, 11, 5, 13, 14, 4, 19, 9, 8, 7, 6, 3, 2, 1, 0
};

static const u8 unwind_step_in_context[KTRACE_UNWIND_NR_OTHERS] = {
	13, 12, 14, 11, 9, 8, 10, 15, 0, 1, 2, 3, 4, 5, 6, 7
};

/* rbx, rbp, rsp, r12 to r15: functions may have saved and changed them. */
#define KEPT_IN_CALLS	(1U << 3 | 1U << 6 | 1U << 7 | 0xfU << 12)

/* Reads the register that a rule needs. */
static enum kt_unwind_result unwind_step_other(const struct kt_unwind_regs *regs,
					       const struct ktrace_unwind_rule *rule, u64 *value,
					       kt_unwind_read read, void *arg)
{
	*value = 0;
	if (regs->all_at == KT_UNWIND_NOT_ALL ||
	    (!regs->is_exact && (KEPT_IN_CALLS >> rule->cfa_add & 1)))
		return KT_UNWIND_COMPLEX;
	if (regs->all_at == KT_UNWIND_FIRST_ALL)
		*value = regs->first[unwind_step_in_first[rule->cfa_add]];
	else if (!read(arg, regs->all_at + 8 * unwind_step_in_context[rule->cfa_add], value,
		       sizeof(*value)))
		return KT_UNWIND_UNREADABLE;
	return KT_UNWIND_NEXT;
}

/* As code for multiplication of long numbers keeps it, behind its numbers on the stack. */
static enum kt_unwind_result unwind_step_index(const struct kt_unwind_regs *regs,
					       const struct ktrace_unwind_rule *rule, u64 *cfa,
					       kt_unwind_read read, void *arg)
{
	enum kt_unwind_result result;
	u64 index;

	result = unwind_step_other(regs, rule, &index, read, arg);
	if (result != KT_UNWIND_NEXT)
		return result;
	if (!read(arg, regs->sp + rule->cfa_offset + 8 * index, cfa, sizeof(*cfa)))
		return KT_UNWIND_UNREADABLE;
	*cfa += 8;
	return KT_UNWIND_NEXT;
}

static enum kt_unwind_result unwind_step_cfa(const struct kt_unwind_regs *regs,
					     const struct ktrace_unwind_rule *rule, u64 *cfa,
					     kt_unwind_read read, void *arg)
{
	enum kt_unwind_result result;

	switch (rule->cfa) {
	case KTRACE_UNWIND_CFA_RSP:
	case KTRACE_UNWIND_CFA_RETURN:
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
	case KTRACE_UNWIND_CFA_OTHER:
		result = unwind_step_other(regs, rule, cfa, read, arg);
		*cfa += rule->cfa_offset;
		return result;
	case KTRACE_UNWIND_CFA_AT_INDEX:
		return unwind_step_index(regs, rule, cfa, read, arg);
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

static enum kt_unwind_result unwind_step_return(const struct kt_unwind_regs *regs,
						const struct ktrace_unwind_rule *rule, u64 cfa,
						u64 *ip, kt_unwind_read read, void *arg)
{
	if (rule->cfa == KTRACE_UNWIND_CFA_RETURN)
		return unwind_step_other(regs, rule, ip, read, arg);
	return read(arg, cfa - sizeof(*ip), ip, sizeof(*ip)) ? KT_UNWIND_NEXT :
							       KT_UNWIND_UNREADABLE;
}

static enum kt_unwind_result unwind_step_call(struct kt_unwind_regs *regs,
					      const struct ktrace_unwind_rule *rule,
					      kt_unwind_read read, void *arg)
{
	enum kt_unwind_result result;
	bool has_bp = regs->has_bp;
	u64 cfa, ip, bp, saved;

	result = unwind_step_cfa(regs, rule, &cfa, read, arg);
	if (result != KT_UNWIND_NEXT)
		return result;
	result = unwind_step_return(regs, rule, cfa, &ip, read, arg);
	if (result != KT_UNWIND_NEXT)
		return result;
	if (!ip)
		return KT_UNWIND_END;
	bp = regs->bp;
	saved = unwind_step_saved(regs, rule->rbp, rule->rbp_offset, cfa);
	if (saved && !read(arg, saved, &bp, sizeof(bp)))
		return KT_UNWIND_UNREADABLE;
	if (rule->rbp != KTRACE_UNWIND_REG_SAME)
		has_bp = saved;
	if (rule->rbx != KTRACE_UNWIND_REG_SAME) {
		saved = unwind_step_saved(regs, rule->rbx, rule->rbx_offset, cfa);
		regs->has_bx = saved;
		regs->bx_at = saved;
	}
	regs->ip = ip;
	regs->bp = bp;
	regs->has_bp = has_bp;
	regs->sp = cfa;
	/* A walk must go up, so a return address is taken from a register once. */
	if (rule->cfa == KTRACE_UNWIND_CFA_RETURN)
		regs->all_at = KT_UNWIND_NOT_ALL;
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
