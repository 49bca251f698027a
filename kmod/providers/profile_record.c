// SPDX-License-Identifier: GPL-2.0
/* A single sample, as a record of the stream. */
#include <linux/sched.h>
#include <linux/string.h>

#include <uapi/ktrace_record.h>

#include "core/record.h"
#include "core/session.h"
#include "providers/profile_record.h"

struct words {
	u64 period, taken;
	struct ktrace_sample_record sample;
	u64 stack;		/* only with KTRACE_SINK_STACKS */
};

void kt_profile_record(struct kt_session *session, u32 mode, u64 period, u64 now, u32 stack)
{
	struct words words = {
		.period = period, .taken = kt_record_time_of(now),
		.sample.pid = current->tgid, .stack = stack,
	};
	u32 nr = offsetof(struct words, stack) / sizeof(u64);
	u8 flags = 0;

	memcpy(words.sample.comm, current->comm, sizeof(words.sample.comm));
	if (session->hot.sinks & KTRACE_SINK_STACKS) {
		nr++;
		flags = KTRACE_REC_F_STACK;
	}
	kt_record_emit(session,
		       kt_record_head(KTRACE_REC_SAMPLE, current->pid, mode, 0, flags, nr - 2),
		       (const u64 *)&words, nr);
}
