/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_RECORD_H
#define KT_RECORD_H

#include <linux/types.h>

struct kt_session;

/* The two words of struct ktrace_record between time and duration, passed in two registers. */
struct kt_record_head {
	u64 who;		/* id, tid */
	u64 what;		/* func, depth, flags, nr_payload */
};

/* Shifts, since gcc takes three times as many instructions to pass a struct of six members. */
static inline struct kt_record_head kt_record_head(u32 id, u32 tid, u32 func, u16 depth, u8 flags,
						   u8 nr_payload)
{
	return (struct kt_record_head){
		.who = id | (u64)tid << 32,
		.what = func | (u64)depth << 32 | (u64)flags << 48 | (u64)nr_payload << 56,
	};
}

/*
 * Writes a record into the session's ring, which must exist. nr_words words follow the fixed part;
 * the last head.nr_payload of them are the payload. The session has no trigger. Any context,
 * preemption off.
 */
void kt_record_write(struct kt_session *session, struct kt_record_head head, const u64 *words,
		     u32 nr_words);
/*
 * The same for any session. Returns false if a trigger has frozen the ring: then the record is not
 * an event for the trigger either.
 */
bool kt_record_emit(struct kt_session *session, struct kt_record_head head, const u64 *words,
		    u32 nr_words);

/*
 * Returns the time of a record's event, ns CLOCK_MONOTONIC, from its ticks; not after the time of a
 * record that is written later. Any context.
 */
u64 kt_record_time_of(u64 ticks);

/*
 * Writes a record id (KTRACE_REC_*) of current with nr_words words of payload, if the session has a
 * ring. Any context, preemption off.
 */
void kt_record_emit_task(struct kt_session *session, u32 id, const u64 *words, u8 nr_words);

#endif
