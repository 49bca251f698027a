/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_RECORD_H
#define KT_RECORD_H

#include <linux/types.h>

struct kt_session;

/*
 * Writes a record into the session's ring, which must exist. nr_words words follow the fixed part;
 * the last nr_payload of them are the payload. Any context, preemption off.
 */
void kt_record_emit(struct kt_session *session, u32 tid, u32 id, u32 func, u16 depth, u8 flags,
		    const u64 *words, u32 nr_words, u8 nr_payload);

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
