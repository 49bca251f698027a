/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_BLOCK_REQUEST_H
#define KT_BLOCK_REQUEST_H

#include <linux/cache.h>
#include <linux/kernel.h>
#include <linux/types.h>

#include "lib/key_table.h"

/*
 * The stamps of a bio from its queueing on. The stamps of the first bio of a request are the stamps
 * of the request. Only the code that works on the bio accesses them, so they need no lock. They
 * fill one cache line.
 */
struct kt_block_stamps {
	struct kt_key key;	/* of a bio; of a request, if it has no bio or is passthrough */
	u32 dev;
	u32 bytes;		/* of the parts that have completed so far */
	u64 queued;		/* times in ticks; 0: did not happen */
	u64 got;		/* got a request */
	u64 inserted;		/* first time into the scheduler */
	u64 issued;		/* last time to the driver */
	u64 sessions;		/* bits of the sessions that trace it */
} ____cacheline_aligned;

#define KT_BLOCK_TABLE_ORDER 14
extern void *kt_block_places;

static __always_inline struct kt_key_table kt_block_table(void)
{
	return (struct kt_key_table){ kt_block_places, sizeof(struct kt_block_stamps),
				      KT_BLOCK_TABLE_ORDER };
}

/*
 * Process context, may sleep, serialized by the caller. The functions below need the table. Create
 * returns false if there is no memory.
 */
bool kt_block_table_create(void);
void kt_block_table_free(void);	/* no hit runs any more */

/* Returns the stamps of key, or NULL. This and all functions below: any context but NMI. */
static __always_inline struct kt_block_stamps *kt_block_stamps_find(const void *key)
{
	struct kt_key *found = kt_key_find(kt_block_table(), (unsigned long)key);

	return found ? container_of(found, struct kt_block_stamps, key) : NULL;
}

/* Returns the index in the table, below 1 << KT_BLOCK_TABLE_ORDER. */
static inline u32 kt_block_stamps_number(const struct kt_block_stamps *stamps)
{
	return stamps - (const struct kt_block_stamps *)kt_block_places;
}

/*
 * Returns zeroed stamps of key; earlier stamps of key are lost. Returns NULL if all places near the
 * hash of key are in use.
 */
struct kt_block_stamps *kt_block_stamps_make(const void *key);
void kt_block_stamps_copy(struct kt_block_stamps *to, const struct kt_block_stamps *from);
static __always_inline void kt_block_stamps_drop(struct kt_block_stamps *stamps)
{
	kt_key_drop(kt_block_table(), &stamps->key);
}

#endif
