/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FILTER_H
#define KT_FILTER_H

#include <linux/sched/signal.h>
#include <linux/types.h>

#include "session.h"

struct mm_struct;

int kt_filter_init(void);
void kt_filter_exit(void);

/* Grows whenever a process becomes one of ours. */
extern u32 kt_filter_nr_changes;

/* Does the session want the current task? Any context. */
bool kt_filter_task_slow(const struct kt_session *session, const struct pid *tgid);

/*
 * A tgid that was wanted stays so until a process becomes one of ours: a CPU
 * remembers the last one.
 */
static __always_inline bool kt_filter_task(const struct kt_session *session)
{
	const struct pid *tgid = task_tgid(current);
	const struct kt_filter_cache *seen = raw_cpu_ptr(&session->cpu->seen);

	return likely(seen->tgid == tgid &&
		      seen->nr_changes == READ_ONCE(kt_filter_nr_changes)) ||
	       kt_filter_task_slow(session, tgid);
}

/*
 * Does it want breakpoints in mm, in a file that is_foreign, not the session's own?
 * Another's mm: the caller holds its mmap lock.
 */
bool kt_filter_mm(const struct kt_session *session, struct mm_struct *mm, bool is_foreign);

/* The current process is one of ours, never to be traced. Process context. */
int kt_filter_own_current(void);

#endif
