/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_VALUE_H
#define KT_VALUE_H

#include <linux/types.h>

#include <uapi/ktrace_record.h>

struct ktrace_func;
struct pt_regs;

/* Words of the longest payload of a record: the kinds, and the longest value of each argument. */
#define KT_VALUES_MAX (1 + KTRACE_MAX_ARGS * (1 + KTRACE_STRING_LEN / 8))

struct kt_values {
	u32 nr;
	u64 duration;			/* ns; in front of the payload, as in a record */
	u64 words[KT_VALUES_MAX];
};

bool kt_value_has_args(const struct ktrace_func *func);

/* Reads the arguments of current at the first instruction of func. Task context, may sleep. */
void kt_value_read_args(struct kt_values *values, const struct ktrace_func *func,
			const struct pt_regs *regs);
/* Reads the result at the return instruction of func, or after it. Task context, may sleep. */
void kt_value_read_result(struct kt_values *values, const struct ktrace_func *func,
			  const struct pt_regs *regs);
/* The same in any context of a user task. A string that is not in memory is UNREADABLE. */
void kt_value_peek_result(struct kt_values *values, const struct ktrace_func *func);

#endif
