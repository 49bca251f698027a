// SPDX-License-Identifier: GPL-2.0
#include <linux/kernel.h>

#include "lib/key_table.h"
#include "lib/mem.h"

#define MAX_WAY 16	/* places from the home of a key */

static size_t key_table_places_len(const struct kt_key_table table)
{
	return table.len << table.order;
}

void *kt_key_places_alloc(const struct kt_key_table table)
{
	return kt_mem_alloc(key_table_places_len(table));
}

void kt_key_places_free(const struct kt_key_table table)
{
	kt_mem_free(table.places, key_table_places_len(table));
}

static struct kt_key *key_table_on_way(const struct kt_key_table table, unsigned long key, u32 way)
{
	u32 number = (hash_long(key, table.order) + way) & ((1U << table.order) - 1);

	return table.places + number * table.len;
}

struct kt_key *kt_key_find_displaced(const struct kt_key_table table, unsigned long key)
{
	struct kt_key *place;
	u32 way;

	for (way = 1; way < MAX_WAY; way++) {
		place = key_table_on_way(table, key, way);
		if (READ_ONCE(place->key) == key)
			return place;
	}
	return NULL;
}

/* Counts the key before it takes a place: a search for another key may run at the same time. */
struct kt_key *kt_key_take_other(const struct kt_key_table table, unsigned long key)
{
	struct kt_key *home = kt_key_home(table, key);
	u32 way;

	atomic_inc(&home->nr_displaced);
	for (way = 1; way < MAX_WAY; way++)
		if (kt_key_take_place(key_table_on_way(table, key, way), key))
			return key_table_on_way(table, key, way);
	atomic_dec(&home->nr_displaced);
	return NULL;
}
