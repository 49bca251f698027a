/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_FILTER_H
#define KT_FILTER_H

#include <linux/types.h>

struct kt_session;
struct mm_struct;

int kt_filter_init(void);
void kt_filter_exit(void);

/* Does the session want the current task? Any context. */
bool kt_filter_task(const struct kt_session *session);

/* Does it want breakpoints in mm? The caller holds mm's mmap lock; takes no lock. */
bool kt_filter_mm(const struct kt_session *session, struct mm_struct *mm, bool is_import);

/* The current process is one of ours, never to be traced. Process context. */
int kt_filter_own_current(void);

#endif
