// SPDX-License-Identifier: GPL-2.0
/*
 * The caller of a function that has no frame and makes a system call. A word on the stack is its
 * return address if the instruction in front of it calls this function. The first word may also be
 * behind a call whose target is not known: the function has pushed nothing, then.
 */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/string.h>
#include <linux/uaccess.h>

#include "compat/program.h"
#include "core/wrapper.h"

#define WORDS 16		/* a function without a frame has pushed fewer */
#define MOST_CODE 256		/* bytes of a function up to its system call */
#define CALL_LEN 7		/* of the longest call */

bool kt_user_read(void *to, unsigned long from, size_t len)
{
	unsigned long left;

	if (from >= TASK_SIZE_MAX - len)
		return false;
	pagefault_disable();
	left = __copy_from_user_inatomic(to, (const void __user *)from, len);
	pagefault_enable();
	return !left;
}

static bool wrapper_is_at_syscall(unsigned long ip)
{
	u8 code[2];

	return kt_user_read(code, ip - sizeof(code), sizeof(code)) && code[0] == 0x0f &&
	       code[1] == 0x05;
}

/* Returns the address at the end of an instruction, plus the distance in its last four bytes. */
static unsigned long wrapper_relative(const u8 *distance, unsigned long end)
{
	s32 by;

	memcpy(&by, distance, sizeof(by));
	return end + by;
}

static unsigned long wrapper_slot(const u8 *distance, unsigned long end)
{
	unsigned long to;

	return kt_user_read(&to, wrapper_relative(distance, end), sizeof(to)) ? to : 0;
}

/* Follows "jmp *slot(%rip)" of a PLT, with or without endbr64 and bnd. */
static unsigned long wrapper_jump(unsigned long at)
{
	u8 code[11];
	u32 len = 0;

	if (!kt_user_read(code, at, sizeof(code)))
		return 0;
	if (code[0] == 0xf3 && code[1] == 0x0f && code[2] == 0x1e && code[3] == 0xfa)
		len = 4;
	len += code[len] == 0xf2;
	if (len + 6 > sizeof(code) || code[len] != 0xff || code[len + 1] != 0x25)
		return at;
	return wrapper_slot(code + len + 2, at + len + 6);
}

/* Call through a register or through memory: FF, then /2 in the byte after it. */
static bool wrapper_is_indirect(const u8 code[CALL_LEN])
{
	static const u8 lens[] = { 2, 3, 4, 6, 7 };
	u32 i;

	for (i = 0; i < ARRAY_SIZE(lens); i++)
		if (code[CALL_LEN - lens[i]] == 0xff &&
		    (code[CALL_LEN - lens[i] + 1] & 0x38) == 0x10)
			return true;
	return false;
}

/*
 * Returns the function that is called in front of an address, or 0. is_call: it is behind a call,
 * the target of which may be unknown.
 */
static unsigned long wrapper_target(unsigned long returns, bool *is_call)
{
	u8 code[CALL_LEN];
	unsigned long target = 0;

	*is_call = false;
	if (returns < PAGE_SIZE || !kt_user_read(code, returns - CALL_LEN, sizeof(code)))
		return 0;
	if (code[CALL_LEN - 5] == 0xe8)
		target = wrapper_jump(wrapper_relative(code + CALL_LEN - 4, returns));
	else if (code[CALL_LEN - 6] == 0xff && code[CALL_LEN - 5] == 0x15)
		target = wrapper_slot(code + CALL_LEN - 4, returns);
	*is_call = target || wrapper_is_indirect(code);
	return target;
}

static bool wrapper_is_called(unsigned long returns, unsigned long ip, bool *is_call)
{
	unsigned long target = wrapper_target(returns, is_call);

	return target && target < ip && ip - target <= MOST_CODE;
}

unsigned long kt_wrapper_caller(const struct pt_regs *regs, unsigned long returns)
{
	unsigned long sp = kt_user_sp(regs), at, word;
	bool is_call;
	u32 i;

	if (!sp || sp % sizeof(word) || !wrapper_is_at_syscall(regs->ip))
		return 0;
	/* It has a frame of its own. */
	if (returns && wrapper_is_called(returns, regs->ip, &is_call))
		return 0;
	for (i = 0, at = sp; i < WORDS && at != regs->bp; i++, at += sizeof(word)) {
		if (!kt_user_read(&word, at, sizeof(word)))
			return 0;
		if (wrapper_is_called(word, regs->ip, &is_call) || (!i && is_call))
			return word;
	}
	return 0;
}
