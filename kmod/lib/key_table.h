/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KEY_TABLE_H
#define KT_KEY_TABLE_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/types.h>

/*
 * From numbers to what is known of things under way: a hash table without locks. What does
 * not find its own place free takes one of the next few, and its own place counts how many
 * did, so that a look into that is enough for nearly all.
 *
 * A place is taken by a cmpxchg of its key, from any context, and given back by another.
 * Whoever works on a thing has it to himself, and its owner's locks hand it on with what was
 * written here. So nobody looks for a key while it comes or goes.
 *
 * A key is never 0, which marks a free place: nothing is found by it, and it takes no place.
 */

/* First member of a place. */
struct kt_key {
	unsigned long key;	/* 0: free */
	atomic_t nr_displaced;	/* others that belong in this place and had to take another */
};

/*
 * By value, of constants, so that nothing is computed that the compiler can, and nobody's
 * stack has one, which would be guarded at each hit.
 */
struct kt_key_table {
	void *places;
	size_t len;		/* of a place */
	u32 order;		/* log2 of how many */
};

/* Places for it, all free. Process context, sleep; NULL: no memory. */
void *kt_key_places_alloc(struct kt_key_table table);
void kt_key_places_free(struct kt_key_table table);	/* no hit runs any more */

static __always_inline struct kt_key *kt_key_home(const struct kt_key_table table,
						  unsigned long key)
{
	return table.places + (size_t)hash_long(key, table.order) * table.len;
}

struct kt_key *kt_key_find_displaced(struct kt_key_table table, unsigned long key);
struct kt_key *kt_key_take_other(struct kt_key_table table, unsigned long key);

/* All below: any context but NMI. NULL: nothing is known of key. */
static __always_inline struct kt_key *kt_key_find(const struct kt_key_table table,
						  unsigned long key)
{
	struct kt_key *home = kt_key_home(table, key);

	if (unlikely(!key))
		return NULL;
	if (likely(READ_ONCE(home->key) == key))
		return home;
	return unlikely(atomic_read(&home->nr_displaced)) ?
	       kt_key_find_displaced(table, key) : NULL;
}

static __always_inline bool kt_key_take_place(struct kt_key *place, unsigned long key)
{
	return !READ_ONCE(place->key) && !cmpxchg(&place->key, 0, key);
}

/* A place for one that has none, not cleared; NULL: its neighbourhood is full. */
static __always_inline struct kt_key *kt_key_take(const struct kt_key_table table,
						  unsigned long key)
{
	struct kt_key *home = kt_key_home(table, key);

	if (unlikely(!key))
		return NULL;
	return likely(kt_key_take_place(home, key)) ? home : kt_key_take_other(table, key);
}

static __always_inline void kt_key_drop(const struct kt_key_table table, struct kt_key *place)
{
	struct kt_key *home = kt_key_home(table, place->key);

	/* Whoever takes the place finds it read. */
	xchg(&place->key, 0);
	if (unlikely(home != place))
		atomic_dec(&home->nr_displaced);
}

#endif
