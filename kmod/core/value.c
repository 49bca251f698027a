// SPDX-License-Identifier: GPL-2.0
/* Arguments and results of functions. */
#include <linux/kernel.h>
#include <linux/sched.h>
#include <linux/sched/task_stack.h>
#include <linux/string.h>

#include "core/value.h"
#include "lib/arch.h"
#include "lib/user_mem.h"

#include <uapi/ktrace.h>

bool kt_value_has_args(const struct ktrace_func *func)
{
	u32 i;

	for (i = 0; i < KTRACE_MAX_ARGS; i++)
		if (func->args[i])
			return true;
	return false;
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
		len = kt_user_mem_string(text, addr, KTRACE_STRING_LEN, may_sleep);
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
