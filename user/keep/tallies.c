// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "keep/tallies.h"
#include "util/hash.h"

#define MOST_TALLIES (1 << 17)	/* threads and errors come from the recording */

struct tally_keys {
	uint64_t key[2];
	uint32_t table, part;
};

struct known_tally {
	struct tally tally;
	struct tally_keys keys;
	UT_hash_handle hh;	/* by keys */
};

struct tallies {
	struct known_tally *all, *last;
	uint64_t nr_lost;
};

struct tallies *tallies_create(void)
{
	return mem_alloc(sizeof(struct tallies));
}

void tallies_free(struct tallies *tallies)
{
	struct known_tally *known, *next;

	if (!tallies)
		return;
	HASH_ITER(hh, tallies->all, known, next) {
		HASH_DEL(tallies->all, known);
		sums_free(&known->tally.sums);
		free(known);
	}
	free(tallies);
}

struct tally *tallies_get(struct tallies *tallies, uint32_t table, uint64_t first, uint64_t second,
			  uint32_t part)
{
	struct tally_keys keys = { { first, second }, table, part };
	struct known_tally *known = tallies->last;

	if (known && !memcmp(&known->keys, &keys, sizeof(keys)))
		return &known->tally;
	HASH_FIND(hh, tallies->all, &keys, sizeof(keys), known);
	if (!known && HASH_COUNT(tallies->all) >= MOST_TALLIES) {
		tallies->nr_lost++;
		return NULL;
	}
	if (!known) {
		known = mem_alloc(sizeof(*known));
		known->keys = keys;
		known->tally = (struct tally){ { first, second }, table, part, "", { 0 } };
		HASH_ADD(hh, tallies->all, keys, sizeof(keys), known);
	}
	tallies->last = known;
	return &known->tally;
}

void tallies_each(const struct tallies *tallies, uint32_t table,
		  void (*fn)(void *arg, const struct tally *tally), void *arg)
{
	struct known_tally *known, *next;

	HASH_ITER(hh, tallies->all, known, next)
		if (known->tally.table == table)
			fn(arg, &known->tally);
}

uint64_t tallies_nr_lost(const struct tallies *tallies)
{
	return tallies->nr_lost;
}

bool tallies_are_empty(const struct tallies *tallies)
{
	return !tallies->all;
}
