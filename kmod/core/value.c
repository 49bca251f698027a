// SPDX-License-Identifier: GPL-2.0
/*
 * Arguments and results of functions.
 *
 * The program must not notice that its strings are read. A string in memory is read with page
 * faults off. Other strings are read with page faults on, but only where a read by the program
 * itself would cause nothing but a page fault: not below a stack, which would grow, and not where a
 * user space handler waits for faults.
 */
#include <linux/kernel.h>
#include <linux/mm.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>
#include <linux/uaccess.h>
#include <linux/userfaultfd_k.h>

#include "core/value.h"
#include "lib/arch.h"

#include <uapi/ktrace.h>

bool kt_value_has_args(const struct ktrace_func *func)
{
	u32 i;

	for (i = 0; i < KTRACE_MAX_ARGS; i++)
		if (func->args[i])
			return true;
	return false;
}

/* Returns how many bytes from addr on may be read with page faults on; at most len. */
static size_t value_may_fetch(unsigned long addr, size_t len)
{
	struct mm_struct *mm = current->mm;
	struct vm_area_struct *vma;
	size_t good = 0;

	mmap_read_lock(mm);
	while (good < len) {
		vma = find_vma(mm, addr + good);
		if (!vma || vma->vm_start > addr + good || userfaultfd_armed(vma))
			break;
		good = min_t(size_t, len, vma->vm_end - addr);
	}
	mmap_read_unlock(mm);
	return good;
}

/*
 * Returns the length of the string, or len if it does not end before. Returns -EFAULT if it cannot
 * be read up to there.
 */
static long value_read_string(char *to, unsigned long addr, size_t len, bool may_sleep)
{
	const char __user *from = (const char __user *)addr;
	size_t good;
	long got;

	pagefault_disable();
	got = strncpy_from_user(to, from, len);
	pagefault_enable();
	if (got >= 0 || !may_sleep)
		return got;
	good = value_may_fetch(addr, len);
	if (!good)
		return -EFAULT;
	got = strncpy_from_user(to, from, good);
	return got == good && good < len ? -EFAULT : got;
}

/* Adds a word with state and length of the string, then its characters. */
static void value_add_string(struct kt_values *values, unsigned long addr, bool may_sleep)
{
	u64 *head = &values->words[values->nr++];
	char *text = (char *)(head + 1);
	u32 state = KTRACE_STRING_WHOLE;
	long len = 0;

	if (!addr)
		state = KTRACE_STRING_NULL;
	else
		len = value_read_string(text, addr, KTRACE_STRING_LEN, may_sleep);
	if (len < 0) {
		state = KTRACE_STRING_UNREADABLE;
		len = 0;
	}
	if (len == KTRACE_STRING_LEN) {
		state = KTRACE_STRING_CUT;
		len--;
	}
	memset(text + len, 0, ALIGN(len, 8) - len);
	*head = (u64)state << 8 | len;
	values->nr += ALIGN(len, 8) / 8;
}

static void value_add(struct kt_values *values, u32 place, u8 kind, unsigned long value,
		      bool may_sleep)
{
	values->words[0] |= (u64)kind << (8 * place);
	if (kind == KTRACE_VALUE_STRING)
		value_add_string(values, value, may_sleep);
	else if (kind == KTRACE_VALUE_INT)
		values->words[values->nr++] = value;
}

static void value_begin(struct kt_values *values)
{
	values->nr = 1;
	values->words[0] = 0;
}

void kt_value_read_args(struct kt_values *values, const struct ktrace_func *func,
			const struct pt_regs *regs)
{
	u32 i;

	value_begin(values);
	for (i = 0; i < KTRACE_MAX_ARGS; i++)
		value_add(values, i, func->args[i], kt_arch_arg(regs, i), true);
}

void kt_value_read_result(struct kt_values *values, const struct ktrace_func *func,
			  const struct pt_regs *regs)
{
	value_begin(values);
	value_add(values, 0, func->result, kt_arch_result(regs), true);
}

void kt_value_peek_result(struct kt_values *values, const struct ktrace_func *func)
{
	value_begin(values);
	value_add(values, 0, func->result, kt_arch_result(task_pt_regs(current)), false);
}
