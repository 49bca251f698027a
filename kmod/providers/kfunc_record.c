// SPDX-License-Identifier: GPL-2.0
/* A single call of a kernel function, as a record of the stream. */
#include <linux/sched.h>
#include <linux/string.h>

#include <uapi/ktrace_record.h>

#include "core/record.h"
#include "core/session.h"
#include "core/stacks.h"
#include "core/trigger.h"
#include "providers/kfunc_parts.h"
#include "providers/kfunc_record.h"

struct words {
	u64 duration, end;
	struct ktrace_call_record call;
	u64 stack;		/* only with KTRACE_SINK_STACKS */
};

/*
 * The result register may contain a kernel address even if the function returns void, or a number
 * by its type.
 */
static s64 kfunc_record_result_of(const struct kt_func *func, long ret)
{
	if (kt_kfunc_is_error(ret))
		return (s32)ret;
	return func->has_number && ret >= 0 && ret <= INT_MAX ? ret : KTRACE_RESULT_NONE;
}

static void kfunc_record_trigger(struct kt_session *session, u32 func, u64 duration, long ret)
{
	const struct kt_trigger_event event = {
		.duration = duration, .number = func, .func = func, .tid = current->pid,
		.error = kt_kfunc_is_error(ret) ? -(s32)ret : 0,
	};

	kt_trigger_event(session, &event);
}

void kt_kfunc_record(struct kt_session *session, u32 func, u64 duration, u64 now, long ret,
		     const struct kt_kfunc_call *call)
{
	struct words words = { .duration = duration, .end = kt_record_time_of(now) };
	u32 nr = offsetof(struct words, stack) / sizeof(u64);
	u8 flags = 0;

	words.call.ret = kfunc_record_result_of(&session->hot.funcs[func], ret);
	memcpy(words.call.comm, current->comm, sizeof(words.call.comm));
	if (session->hot.sinks & KTRACE_SINK_STACKS) {
		words.stack = call->stack ? kt_stacks_find(session->hot.stacks, call->stack) :
			      KTRACE_STACK_NONE;
		nr++;
		flags = KTRACE_REC_F_STACK;
	}
	if (kt_record_emit(session,
			   kt_record_head(KTRACE_REC_CALL, current->pid, func, 0, flags, nr - 2),
			   (const u64 *)&words, nr) && unlikely(session->hot.trigger))
		kfunc_record_trigger(session, func, duration, ret);
}

static size_t kfunc_record_len(const struct ktrace_record *record)
{
	u32 nr_words = record->nr_payload;

	if (record->id >= KTRACE_REC_SYSCALL)
		nr_words += 2;
	else if (record->id == KTRACE_REC_EXIT)
		nr_words++;

	return sizeof(*record) + nr_words * sizeof(u64);
}

void kt_kfunc_hide_results(void *packet, size_t len)
{
	struct ktrace_call_record *call;
	struct ktrace_record *record;
	size_t at;

	for (at = sizeof(struct ktrace_packet); at + sizeof(*record) < len;
	     at += kfunc_record_len(record)) {
		record = packet + at;
		call = (void *)&record->duration[2];
		if (record->id == KTRACE_REC_CALL && call->ret >= 0)
			call->ret = KTRACE_RESULT_NONE;
	}
}
