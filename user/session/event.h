/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EVENT_H
#define EVENT_H

#include "ktrace.h"

/* The ids of records; and of a gap, whose duration is the number of missing records. */
enum event_id {
	EVENT_GAP = KTRACE_REC_UNSPEC,
	EVENT_ENTRY = KTRACE_REC_ENTRY, EVENT_EXIT = KTRACE_REC_EXIT,
	EVENT_TASK_EXIT = KTRACE_REC_TASK_EXIT, EVENT_FORK = KTRACE_REC_FORK,
	EVENT_EXEC = KTRACE_REC_EXEC, EVENT_SYSCALL = KTRACE_REC_SYSCALL,
	EVENT_REQUEST = KTRACE_REC_REQUEST, EVENT_CALL = KTRACE_REC_CALL,
	EVENT_PERIOD = KTRACE_REC_PERIOD, EVENT_FAULT = KTRACE_REC_FAULT,
	EVENT_SAMPLE = KTRACE_REC_SAMPLE,
	/* events of a streamer, which no record of the module has */
	EVENT_BEGIN = 0x10000,
	EVENT_CLOCK,
	EVENT_END,
	EVENT_ROW	/* of a table, see stream/rows.h */
};

/* Returns a remark on an unusual end or observation of a call, or NULL. */
const char *event_mark(const struct ktr_record *event);

#endif
