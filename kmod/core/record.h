/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_RECORD_H
#define KT_RECORD_H

#include <linux/types.h>

struct kt_session;

/*
 * Of a session with a ring: a record of nr_words words behind its fixed part, the last
 * nr_payload of them its payload. Any context, preemption off.
 */
void kt_record_emit(struct kt_session *session, u32 tid, u32 id, u32 func, u16 depth, u8 flags,
		    const u64 *words, u32 nr_words, u8 nr_payload);

/* Of any session: one of the current task, KTRACE_REC_*, with words behind it. Preemption off. */
void kt_record_emit_task(struct kt_session *session, u32 id, const u64 *words, u8 nr_words);

#endif
