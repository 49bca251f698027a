/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_REQUEST_H
#define KT_BLOCK_REQUEST_H

#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "lib/key_table.h"

/*
 * What is known of a bio from its queueing on, which as the first of a request is all that
 * is known of that. Whoever works on the bio has it to himself. A line of the cache.
 */
struct kt_block_stamps {
	struct kt_key key;	/* of a bio, or a request without one */
	u32 dev;
	u32 bytes;		/* that parts before the last one completed */
	u64 queued;		/* ticks, as all below; 0: it was not */
	u64 got;		/* a request */
	u64 inserted;		/* into the scheduler, first */
	u64 issued;		/* to the driver, last */
	u64 sessions;		/* bits of those that want it */
} ____cacheline_aligned;

#define KT_BLOCK_TABLE_ORDER 14
extern void *kt_block_places;

static __always_inline struct kt_key_table kt_block_table(void)
{
	return (struct kt_key_table){ kt_block_places, sizeof(struct kt_block_stamps),
				      KT_BLOCK_TABLE_ORDER };
}

/* Process context, sleep; one after the other. While there is none, nothing below. */
bool kt_block_table_create(void);
void kt_block_table_free(void);	/* no hit runs any more */

/* All below: any context but NMI. NULL: nothing is known of key. */
static __always_inline struct kt_block_stamps *kt_block_stamps_find(const void *key)
{
	struct kt_key *found = kt_key_find(kt_block_table(), (unsigned long)key);

	return found ? container_of(found, struct kt_block_stamps, key) : NULL;
}

/* Its place, below 1 << KT_BLOCK_TABLE_ORDER. */
static inline u32 kt_block_stamps_number(const struct kt_block_stamps *stamps)
{
	return stamps - (const struct kt_block_stamps *)kt_block_places;
}

/* Zeroed, and what was known forgotten; NULL: too many in its neighbourhood are under way. */
struct kt_block_stamps *kt_block_stamps_make(const void *key);
void kt_block_stamps_copy(struct kt_block_stamps *to, const struct kt_block_stamps *from);
static __always_inline void kt_block_stamps_drop(struct kt_block_stamps *stamps)
{
	kt_key_drop(kt_block_table(), &stamps->key);
}

#endif
