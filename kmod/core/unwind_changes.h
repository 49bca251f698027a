/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_UNWIND_CHANGES_H
#define KT_UNWIND_CHANGES_H

#include <linux/types.h>

struct mm_struct;

/*
 * Code in [start, end) was mapped, or removed; has_file: it was mapped from a file. Any context in
 * which RCU works.
 */
typedef void (*kt_unwind_change_fn)(const struct mm_struct *mm, unsigned long start,
				    unsigned long end, bool has_file);

/*
 * Calls fn for each change of the mapped code of a process. Process context, sleep; the caller
 * holds kt_unwind_lock.
 */
void kt_unwind_changes_begin(kt_unwind_change_fn fn);
void kt_unwind_changes_end(void);	/* returns when no report is under way */

/*
 * Returns a number that differs if mappings may have changed without a report. Where the kernel
 * cannot report them, that is whenever any mapping was changed. Any context.
 */
u64 kt_unwind_changes_unseen(const struct mm_struct *mm);

#endif
