// SPDX-License-Identifier: GPL-2.0
/* A call of a kernel function by itself, as a record of the stream. */
#include <linux/sched.h>
#include <linux/string.h>

#include <uapi/ktrace_record.h>

#include "hit.h"
#include "kfunc.h"
#include "session.h"
#include "stacks.h"

struct words {
	u64 duration;
	struct ktrace_call_record call;
	u64 stack;		/* if that is asked for */
};

void kt_kfunc_record(struct kt_session *session, u32 func, u64 duration, long ret,
		     const struct kt_kfunc_call *call)
{
	struct words words = { .duration = duration, .call.ret = ret };
	u32 nr = offsetof(struct words, stack) / sizeof(u64);
	u8 flags = 0;

	memcpy(words.call.comm, current->comm, sizeof(words.call.comm));
	if (session->config.flags & KTRACE_F_STACKS) {
		words.stack = call->stack ? kt_stacks_find(session->stacks, call->stack) :
			      KTRACE_STACK_NONE;
		nr++;
		flags = KTRACE_REC_F_STACK;
	}
	kt_hit_emit(session, current->pid, KTRACE_REC_CALL, func, 0, flags, (const u64 *)&words,
		    nr, nr - 1);
}
