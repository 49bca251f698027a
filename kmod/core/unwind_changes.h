/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_UNWIND_CHANGES_H
#define KT_UNWIND_CHANGES_H

#include <linux/types.h>

struct mm_struct;

/*
 * Observes how processes change the mappings of their code, which it reports to
 * kt_unwind_maps_changed(). Process context, sleep; the caller holds kt_unwind_lock.
 */
void kt_unwind_changes_begin(void);
void kt_unwind_changes_end(void);	/* returns when no report is under way */

/*
 * Returns a number that differs if mappings may have changed without a report. Where the kernel
 * cannot report them, that is whenever any mapping was changed. Any context.
 */
u64 kt_unwind_changes_unseen(const struct mm_struct *mm);

#endif
