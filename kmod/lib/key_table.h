/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KEY_TABLE_H
#define KT_KEY_TABLE_H

#include <linux/atomic.h>
#include <linux/compiler.h>
#include <linux/hash.h>
#include <linux/types.h>

/*
 * A hash table without locks, from keys to the data of operations in progress. If the home of a
 * key is taken, the key takes one of the next few places, and the home counts it. So nearly every
 * search looks at the home only.
 *
 * A cmpxchg of its key takes a place, and an xchg gives it back, from any context. Only one context
 * at a time handles an operation. The locks of the operation's owner pass it on, together with the
 * data written here. So no context searches for a key while the key is added or removed.
 *
 * 0 marks a free place and is not a key: a search for 0 finds nothing, and 0 takes no place.
 */

/* First member of a place. */
struct kt_key {
	unsigned long key;	/* 0: free */
	atomic_t nr_displaced;	/* keys whose home is this place and that took another */
};

/*
 * Passed by value, with constant members. So the compiler computes what it can, and no function has
 * a table on its stack, which the stack protector would check at each hit.
 */
struct kt_key_table {
	void *places;
	size_t len;		/* bytes of a place */
	u32 order;		/* log2 of the number of places */
};

/* Allocates the places, all free. Process context, sleeps. Returns NULL if there is no memory. */
void *kt_key_places_alloc(struct kt_key_table table);
void kt_key_places_free(struct kt_key_table table);	/* no hit runs any more */

static __always_inline struct kt_key *kt_key_home(const struct kt_key_table table,
						  unsigned long key)
{
	return table.places + (size_t)hash_long(key, table.order) * table.len;
}

struct kt_key *kt_key_find_displaced(struct kt_key_table table, unsigned long key);
struct kt_key *kt_key_take_other(struct kt_key_table table, unsigned long key);

/* Any context but NMI, like all functions below. Returns the place of key, or NULL. */
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

/*
 * Takes a place for a key that has none. Apart from the key, the place is not cleared. Returns NULL
 * if all places near the home are taken.
 */
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

	/* Fully ordered: the next owner of the place writes after all reads here. */
	xchg(&place->key, 0);
	if (unlikely(home != place))
		atomic_dec(&home->nr_displaced);
}

#endif
