// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>

#include "key_table.h"
#include "mem.h"

#define MAX_WAY 16	/* from a key's own place */

static size_t places_len(const struct kt_key_table *table)
{
	return table->len << table->order;
}

void *kt_key_places_alloc(const struct kt_key_table *table)
{
	return kt_mem_alloc(places_len(table));
}

void kt_key_places_free(const struct kt_key_table *table)
{
	kt_mem_free(table->places, places_len(table));
}

static struct kt_key *on_way(const struct kt_key_table *table, unsigned long key, u32 way)
{
	u32 number = (hash_long(key, table->order) + way) & ((1U << table->order) - 1);

	return table->places + number * table->len;
}

struct kt_key *kt_key_find_displaced(const struct kt_key_table *table, unsigned long key)
{
	struct kt_key *place;
	u32 way;

	for (way = 1; way < MAX_WAY; way++) {
		place = on_way(table, key, way);
		if (READ_ONCE(place->key) == key)
			return place;
	}
	return NULL;
}

static bool take(struct kt_key *place, unsigned long key)
{
	return !READ_ONCE(place->key) && !cmpxchg(&place->key, 0, key);
}

/* It is told of before it is there, since others may be looking for theirs. */
static noinline struct kt_key *take_other(const struct kt_key_table *table, struct kt_key *home,
					  unsigned long key)
{
	u32 way;

	atomic_inc(&home->nr_displaced);
	for (way = 1; way < MAX_WAY; way++)
		if (take(on_way(table, key, way), key))
			return on_way(table, key, way);
	atomic_dec(&home->nr_displaced);
	return NULL;
}

struct kt_key *kt_key_take(const struct kt_key_table *table, unsigned long key)
{
	struct kt_key *home = kt_key_home(*table, key);

	return likely(take(home, key)) ? home : take_other(table, home, key);
}

void kt_key_drop(const struct kt_key_table *table, struct kt_key *place)
{
	struct kt_key *home = kt_key_home(*table, place->key);

	/* Whoever takes the place finds it read. */
	xchg(&place->key, 0);
	if (unlikely(home != place))
		atomic_dec(&home->nr_displaced);
}
