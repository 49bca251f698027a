// SPDX-License-Identifier: GPL-2.0
/* A single request, as a record of the stream. */
#include <linux/sched.h>
#include <linux/string.h>

#include <uapi/ktrace_record.h>

#include "compat/block.h"
#include "core/record.h"
#include "core/session.h"
#include "core/stacks.h"
#include "core/trigger.h"
#include "lib/ticks.h"
#include "providers/block_record.h"
#include "providers/block_request.h"
#include "providers/block_who.h"

struct words {
	u64 duration, end;
	struct ktrace_request_record request;
	u64 stack;		/* only with KTRACE_SINK_STACKS */
};

u32 kt_block_split(const struct kt_block_stamps *stamps, const struct kt_block_times *times,
		   u64 *ns)
{
	ns[KTRACE_BLOCK_Q2G] = times->got;
	ns[KTRACE_BLOCK_G2I] = times->inserted - times->got;
	ns[KTRACE_BLOCK_I2D] = times->issued - times->inserted;
	ns[KTRACE_BLOCK_D2C] = times->completed - times->issued;
	return (stamps->got ? 1 << KTRACE_BLOCK_Q2G : 0) |
	       (stamps->inserted ? 1 << KTRACE_BLOCK_G2I : 0) |
	       1 << KTRACE_BLOCK_I2D | 1 << KTRACE_BLOCK_D2C;
}

/* Returns the first sector: blk_rq_pos() has advanced by the parts that completed before. */
static u64 block_record_sector_of(const struct kt_block_stamps *stamps, struct request *rq)
{
	u64 sector = blk_rq_pos(rq);

	if (kt_request_is_passthrough(rq) || sector == (sector_t)-1)
		return KTRACE_SECTOR_NONE;
	return sector - ((stamps->bytes - blk_rq_bytes(rq)) >> 9);
}

/* whole: the duration of the request, ns. */
static u64 block_record_off_cpu_ns(const struct kt_block_who *who, u64 now, u64 whole)
{
	u64 ticks = kt_off_cpu_since(&who->off, now);

	return ticks == KT_OFF_UNKNOWN ? KTRACE_OFF_CPU_UNKNOWN : min(kt_ticks_to_ns(ticks), whole);
}

static void block_record_put_who(struct ktrace_request_record *to, const struct kt_block_who *who)
{
	to->inode = who->inode;
	to->file_dev = who->file_dev;
	to->pid = who->tgid;
	memcpy(to->comm, who->comm, sizeof(to->comm));
}

/* The condition is about one stage, or about the whole request. */
static void block_record_trigger(struct kt_session *session, const struct words *words, u32 func,
				 u32 tid)
{
	u32 number = kt_trigger_number(session);
	u32 stage = number < KTRACE_BLOCK_Q2C ? number : KTRACE_BLOCK_Q2C;
	const struct kt_trigger_event event = {
		.duration = stage < KTRACE_BLOCK_Q2C ? words->request.stage_ns[stage] :
			    words->duration,
		.number = stage, .func = func - KTRACE_BLOCK_STAGE(func) + stage, .tid = tid,
		.error = words->request.error,
	};

	kt_trigger_event(session, &event);
}

void kt_block_record(struct kt_session *session, const struct kt_block_stamps *stamps,
		     const struct kt_block_times *times, struct request *rq, u64 now, int error,
		     u32 func)
{
	const struct kt_block_who *who = kt_block_who_get(stamps);
	struct words words = {
		.duration = times->completed,
		.end = kt_record_time_of(now),
		.request.sector = block_record_sector_of(stamps, rq),
		.request.off_cpu_ns = block_record_off_cpu_ns(who, now, times->completed),
		.request.dev = stamps->dev,
		.request.bytes = stamps->bytes,
		.request.error = -error,
	};
	u32 nr = offsetof(struct words, stack) / sizeof(u64);
	u8 flags = 0;

	words.request.stages = kt_block_split(stamps, times, words.request.stage_ns);
	block_record_put_who(&words.request, who);
	if (session->hot.sinks & KTRACE_SINK_STACKS) {
		words.stack = who->stack ? kt_stacks_find(session->hot.stacks, who->stack) :
			      KTRACE_STACK_NONE;
		nr++;
		flags = KTRACE_REC_F_STACK;
	}
	if (kt_record_emit(session,
			   kt_record_head(KTRACE_REC_REQUEST, who->tid, func, 0, flags, nr - 2),
			   (const u64 *)&words, nr) && unlikely(session->hot.trigger))
		block_record_trigger(session, &words, func, who->tid);
}
