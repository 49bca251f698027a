/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_VALUE_H
#define KT_VALUE_H

#include <linux/types.h>

#include <uapi/ktrace_record.h>

struct ktrace_func;
struct pt_regs;

/* The payload of a record: the kinds, and each value at its longest. */
#define KT_VALUES_MAX (1 + KTRACE_MAX_ARGS * (1 + KTRACE_STRING_LEN / 8))

struct kt_values {
	u32 nr;
	u64 duration;			/* as in a record, in front of its payload */
	u64 words[KT_VALUES_MAX];
};

bool kt_value_has_args(const struct ktrace_func *func);

/* Of current, at a function's first instruction. Task context, may sleep. */
void kt_value_read_args(struct kt_values *values, const struct ktrace_func *func,
			const struct pt_regs *regs);
/* At its return instruction, or behind it. The same context. */
void kt_value_read_result(struct kt_values *values, const struct ktrace_func *func,
			  const struct pt_regs *regs);
/* The same in any context of a task in user mode: what is not in memory is UNREADABLE. */
void kt_value_peek_result(struct kt_values *values, const struct ktrace_func *func);

#endif
