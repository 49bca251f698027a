/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_UNWIND_MAP_H
#define KT_UNWIND_MAP_H

#include <linux/rcupdate.h>
#include <linux/types.h>

#include "core/unwind_store.h"

struct mm_struct;

/* Mapped code of a file that has a table. */
struct kt_unwind_range {
	unsigned long start, end;
	u64 delta;			/* offset in the file - address */
	const struct kt_unwind_file *file;
};

/* The mapped code of a process, by addresses. It does not change; a new map replaces it. */
struct kt_unwind_map {
	struct rcu_head rcu;
	/* of the time at which it was made: */
	int nr_added, nr_replaced;	/* changes of mappings */
	u32 generation;			/* of the store */
	u64 unseen;			/* kt_unwind_changes_unseen() */
	u64 listened;			/* listeners so far */
	bool has_unknown;		/* a file is not in the store */
	u32 nr, max;
	struct kt_unwind_range ranges[];	/* [max], in order */
};

/*
 * Makes the map of a process. The caller holds kt_unwind_lock and the mmap lock, and sets the
 * numbers of changes. Returns NULL if there is no memory.
 */
struct kt_unwind_map *kt_unwind_map_create(struct mm_struct *mm);
/* Any context except an NMI. */
void kt_unwind_map_free(struct kt_unwind_map *map);

/* Returns the range that contains an address, or NULL. Any context. */
const struct kt_unwind_range *kt_unwind_map_find(const struct kt_unwind_map *map, u64 addr);
/* Does a range have an address of [start, end)? Any context. */
bool kt_unwind_map_overlaps(const struct kt_unwind_map *map, unsigned long start,
			    unsigned long end);
/* Is there a file without users? The caller holds kt_unwind_lock. */
bool kt_unwind_map_has_unused(const struct kt_unwind_map *map);

#endif
