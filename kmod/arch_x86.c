// SPDX-License-Identifier: GPL-2.0
/* x86-64: will this instruction leave the function? */
#include <linux/errno.h>
#include <linux/ptrace.h>
#include <linux/uaccess.h>

#include <asm/processor-flags.h>

#include <uapi/ktrace.h>

#include "arch.h"
#include "compat.h"

/* Intel SDM volume 1, appendix B: condition codes by the opcode's low nibble. */
static bool condition_holds(u8 cc, unsigned long flags)
{
	bool cf = flags & X86_EFLAGS_CF, zf = flags & X86_EFLAGS_ZF;
	bool sf = flags & X86_EFLAGS_SF, of = flags & X86_EFLAGS_OF;
	bool holds;

	switch (cc >> 1) {
	case 0:
		holds = of;
		break;
	case 1:
		holds = cf;
		break;
	case 2:
		holds = zf;
		break;
	case 3:
		holds = cf || zf;
		break;
	case 4:
		holds = sf;
		break;
	case 5:
		holds = flags & X86_EFLAGS_PF;
		break;
	case 6:
		holds = sf != of;
		break;
	default:
		holds = zf || sf != of;
		break;
	}
	return holds != (cc & 1);
}

bool kt_arch_is_jbe_taken(const struct pt_regs *regs)
{
	return condition_holds(6, regs->flags);
}

/* Registers by their number in the instruction encoding. */
static unsigned long reg(const struct pt_regs *regs, u8 number, u8 len)
{
	switch (number) {
	case 0:
		return regs->ax;
	case 1:
		return regs->cx;
	case 2:
		return regs->dx;
	case 3:
		return regs->bx;
	case 4:
		return regs->sp;
	case 5:
		return regs->bp;
	case 6:
		return regs->si;
	case 7:
		return regs->di;
	case 8:
		return regs->r8;
	case 9:
		return regs->r9;
	case 10:
		return regs->r10;
	case 11:
		return regs->r11;
	case 12:
		return regs->r12;
	case 13:
		return regs->r13;
	case 14:
		return regs->r14;
	case 15:
		return regs->r15;
	case KTRACE_REG_RIP:
		return regs->ip + len;
	default:
		return 0;
	}
}

static int target_of(const struct ktrace_exit *exit, struct pt_regs *regs,
		     unsigned long *target)
{
	unsigned long at;

	if (exit->kind == KTRACE_EXIT_JMP_REG) {
		*target = reg(regs, exit->base, exit->len);
		return 0;
	}
	at = reg(regs, exit->base, exit->len) + exit->disp +
	     reg(regs, exit->index, exit->len) * exit->scale;
	return get_user(*target, (unsigned long __user *)at);
}

static bool is_inside(const struct ktrace_func *func, u64 offset)
{
	return (offset >= func->start && offset < func->end) ||
	       (offset >= func->cold_start && offset < func->cold_end);
}

int kt_arch_leaves(const struct ktrace_exit *exit, const struct ktrace_func *func,
		   struct pt_regs *regs)
{
	unsigned long target;

	switch (exit->kind) {
	case KTRACE_EXIT_RET:
	case KTRACE_EXIT_JMP:
		return 1;
	case KTRACE_EXIT_JCC:
		return condition_holds(exit->cc, regs->flags);
	default:
		if (target_of(exit, regs, &target))
			return -EFAULT;
		/* Address and file offset differ by the same within a segment. */
		return !is_inside(func, target - (regs->ip - exit->offset));
	}
}

/* A page offset tells the instruction's address from any other, but for chance. */
bool kt_arch_has_returned(const struct ktrace_exit *exit, const struct pt_regs *regs)
{
	return KT_UPROBE_MAY_SET_IP && ((regs->ip ^ exit->offset) & ~PAGE_MASK);
}

void kt_arch_return(const struct ktrace_exit *exit, struct pt_regs *regs)
{
	unsigned long target;

	if (!KT_UPROBE_MAY_SET_IP || kt_has_shadow_stack() || (regs->flags & X86_EFLAGS_TF))
		return;
	if (get_user(target, (unsigned long __user *)regs->sp))
		return;
	/* Where no program can be, the processor says so; a target that looks like
	 * this place could not be told from it.
	 */
	if (target >= TASK_SIZE_MAX || !((target ^ exit->offset) & ~PAGE_MASK))
		return;
	regs->ip = target;
	regs->sp += sizeof(target) + exit->disp;
}

/* System V ABI: integers and pointers. */
unsigned long kt_arch_arg(const struct pt_regs *regs, u32 nr)
{
	static const u8 registers[] = { 7, 6, 2, 1, 8, 9 };

	return reg(regs, registers[nr], 0);
}

unsigned long kt_arch_result(const struct pt_regs *regs)
{
	return regs->ax;
}
