/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_UNWIND_PLACES_H
#define KT_UNWIND_PLACES_H

#include <linux/types.h>

struct kt_frames;
struct ktrace_place;

/*
 * Where the program's frames of a stack are in files with tables: a word each, which fits beside
 * the address. Such a word outlives the process and its mappings. 0: not known.
 */

/* Fills in frames->nr_user words. Hits; interrupts are off; not in an NMI. It takes no lock. */
void kt_unwind_places_take(const struct kt_frames *frames, u64 *words);

/*
 * Converts words for user space. The place of a file that no session has any more is not known.
 * Process context, sleeps.
 */
void kt_unwind_places_tell(const u64 *words, struct ktrace_place *places, u32 nr);

#endif
