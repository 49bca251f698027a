// SPDX-License-Identifier: GPL-2.0
/* A single period of a task, as a record of the stream. */
#include <linux/sched.h>
#include <linux/string.h>

#include <uapi/ktrace_record.h>

#include "core/record.h"
#include "core/session.h"
#include "core/stacks.h"
#include "core/trigger.h"
#include "providers/sched_record.h"
#include "providers/sched_stacks.h"
#include "providers/sched_task.h"

struct words {
	u64 duration, end;
	struct ktrace_period_record period;
	u64 stack;		/* only with KTRACE_SINK_STACKS */
};

static u32 sched_record_stack_of(const struct kt_session *session, const struct task_struct *who)
{
	struct kt_sched_task *task = kt_sched_task_find(who);

	return task && task->stack ? kt_stacks_find(session->hot.stacks, task->stack) :
	       KTRACE_STACK_NONE;
}

/* A cut run is part of a period, and meets no condition. */
static bool sched_record_is_meant(u32 wanted, u32 what)
{
	if (wanted == KTRACE_TRIGGER_ANY)
		return what == KTRACE_SCHED_WAKEUP || what == KTRACE_SCHED_PREEMPTED;
	return what == wanted || (wanted == KTRACE_SCHED_RUN && what == KTRACE_SCHED_RUN_OUT);
}

static void sched_record_trigger(struct kt_session *session, const struct task_struct *who,
				 u32 what, u64 duration)
{
	const struct kt_trigger_event event = {
		.duration = duration, .number = kt_trigger_number(session), .func = what,
		.tid = who->pid,
	};

	if (sched_record_is_meant(event.number, what))
		kt_trigger_event(session, &event);
}

void kt_sched_record(struct kt_session *session, const struct task_struct *who, u32 what,
		     u64 duration, u64 end)
{
	struct words words = { .duration = duration, .end = kt_record_time_of(end) };
	u32 nr = offsetof(struct words, stack) / sizeof(u64);
	u8 flags = 0;

	memcpy(words.period.comm, who->comm, sizeof(words.period.comm));
	if (session->hot.sinks & KTRACE_SINK_STACKS && kt_sched_has_stack(what)) {
		words.stack = sched_record_stack_of(session, who);
		nr++;
		flags = KTRACE_REC_F_STACK;
	}
	if (kt_record_emit(session,
			   kt_record_head(KTRACE_REC_PERIOD, who->pid, what, 0, flags, nr - 2),
			   (const u64 *)&words, nr) && unlikely(session->hot.trigger))
		sched_record_trigger(session, who, what, duration);
}
