// SPDX-License-Identifier: GPL-2.0
/* A single page fault, as a record of the stream. */
#include <linux/sched.h>
#include <linux/string.h>

#include <uapi/ktrace_record.h>

#include "core/record.h"
#include "core/session.h"
#include "core/trigger.h"
#include "providers/fault_record.h"

struct words {
	u64 duration, end;
	struct ktrace_fault_record fault;
};

static void fault_record_trigger(struct kt_session *session, const struct kt_fault *fault,
				 u64 duration)
{
	const struct kt_trigger_event event = {
		.duration = duration, .number = fault->kind, .func = fault->kind,
		.tid = current->pid, .error = fault->error,
	};

	kt_trigger_event(session, &event);
}

void kt_fault_record(struct kt_session *session, const struct kt_fault *fault, u64 duration,
		     u64 end)
{
	const u32 nr = sizeof(struct words) / sizeof(u64);
	struct words words = {
		.duration = duration, .end = kt_record_time_of(end),
		.fault = { .page = fault->page, .error = fault->error, .pid = current->tgid },
	};

	memcpy(words.fault.comm, current->comm, sizeof(words.fault.comm));
	if (kt_record_emit(session,
			   kt_record_head(KTRACE_REC_FAULT, current->pid, fault->kind, 0, 0,
					  nr - 2),
			   (const u64 *)&words, nr) && unlikely(session->hot.trigger))
		fault_record_trigger(session, fault, duration);
}
