// SPDX-License-Identifier: GPL-2.0
/*
 * From bios to their stamps: a hash table without locks. What does not find its own place
 * free takes one of the next few, and its own place counts how many did, so that a look into
 * that is enough for nearly all.
 *
 * A place is taken by a cmpxchg of its key, from any context, and given back by another.
 * Each bio is with one CPU at a time, and the block layer's own locks hand it on with what
 * was written here. So nobody looks for a key while it comes or goes.
 */
#include <linux/kernel.h>

#include "block_request.h"
#include "mem.h"

#define NR_STAMPS (1U << KT_BLOCK_TABLE_ORDER)
#define MAX_WAY 16	/* from a key's own place */

struct kt_block_stamps *kt_block_table __read_mostly;

bool kt_block_table_create(void)
{
	kt_block_table = kt_mem_alloc(NR_STAMPS * sizeof(*kt_block_table));
	return kt_block_table;
}

void kt_block_table_free(void)
{
	kt_mem_free(kt_block_table, NR_STAMPS * sizeof(*kt_block_table));
	kt_block_table = NULL;
}

static struct kt_block_stamps *on_way(u32 home, u32 way)
{
	return &kt_block_table[(home + way) & (NR_STAMPS - 1)];
}

struct kt_block_stamps *kt_block_stamps_find_displaced(const void *key)
{
	u32 home = kt_block_home(key), way;

	for (way = 1; way < MAX_WAY; way++)
		if (READ_ONCE(on_way(home, way)->key) == (unsigned long)key)
			return on_way(home, way);
	return NULL;
}

static bool take(struct kt_block_stamps *stamps, const void *key)
{
	return !READ_ONCE(stamps->key) && !cmpxchg(&stamps->key, 0, (unsigned long)key);
}

/* It is told of before it is there, since others may be looking for theirs. */
static noinline struct kt_block_stamps *take_other(const void *key)
{
	u32 home = kt_block_home(key), way;

	atomic_inc(&kt_block_table[home].nr_displaced);
	for (way = 1; way < MAX_WAY; way++)
		if (take(on_way(home, way), key))
			return on_way(home, way);
	atomic_dec(&kt_block_table[home].nr_displaced);
	return NULL;
}

struct kt_block_stamps *kt_block_stamps_make(const void *key)
{
	struct kt_block_stamps *stamps = kt_block_stamps_find(key);

	if (likely(!stamps)) {
		stamps = &kt_block_table[kt_block_home(key)];
		if (unlikely(!take(stamps, key)))
			stamps = take_other(key);
	}
	if (unlikely(!stamps))
		return NULL;
	stamps->got = 0;
	stamps->inserted = 0;
	stamps->issued = 0;
	stamps->sessions = 0;
	stamps->bytes = 0;
	return stamps;
}

void kt_block_stamps_copy(struct kt_block_stamps *to, const struct kt_block_stamps *from)
{
	to->dev = from->dev;
	to->queued = from->queued;
	to->got = from->got;
	to->inserted = from->inserted;
	to->issued = from->issued;
	to->sessions = from->sessions;
	to->bytes = from->bytes;
}

void kt_block_stamps_drop(struct kt_block_stamps *stamps)
{
	struct kt_block_stamps *home = &kt_block_table[kt_block_home((void *)stamps->key)];

	/* Whoever takes the place finds it read. */
	xchg(&stamps->key, 0);
	if (unlikely(home != stamps))
		atomic_dec(&home->nr_displaced);
}
