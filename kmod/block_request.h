/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_REQUEST_H
#define KT_BLOCK_REQUEST_H

#include <linux/atomic.h>
#include <linux/cache.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/types.h>

/*
 * What is known of a bio from its queueing on, which as the first of a request is all that
 * is known of that. Whoever works on the bio has it to himself. A line of the cache.
 */
struct kt_block_stamps {
	unsigned long key;	/* a bio, or a request without one; 0: free */
	atomic_t nr_displaced;	/* others that belong in this place and had to take another */
	u32 dev;
	u64 queued;		/* ticks, likewise below; 0: it was not */
	u64 got;		/* a request */
	u64 inserted;		/* into the scheduler, first */
	u64 issued;		/* to the driver, last */
	u64 sessions;		/* bits of those that want it */
	u32 bytes;		/* that parts before the last one completed */
} ____cacheline_aligned;

#define KT_BLOCK_TABLE_ORDER 14
extern struct kt_block_stamps *kt_block_table;

/* Process context, sleep; one after the other. While there is none, nothing below. */
bool kt_block_table_create(void);
void kt_block_table_free(void);	/* no hit runs any more */

static __always_inline u32 kt_block_home(const void *key)
{
	return hash_ptr((void *)key, KT_BLOCK_TABLE_ORDER);
}

struct kt_block_stamps *kt_block_stamps_find_displaced(const void *key);

/* Any context but NMI, likewise below. NULL: nothing is known of key. */
static __always_inline struct kt_block_stamps *kt_block_stamps_find(const void *key)
{
	struct kt_block_stamps *home = &kt_block_table[kt_block_home(key)];

	if (likely(READ_ONCE(home->key) == (unsigned long)key))
		return home;
	return unlikely(atomic_read(&home->nr_displaced)) ?
	       kt_block_stamps_find_displaced(key) : NULL;
}

/* Zeroed, and what was known forgotten; NULL: too many in its neighbourhood are under way. */
struct kt_block_stamps *kt_block_stamps_make(const void *key);
void kt_block_stamps_copy(struct kt_block_stamps *to, const struct kt_block_stamps *from);
void kt_block_stamps_drop(struct kt_block_stamps *stamps);

#endif
