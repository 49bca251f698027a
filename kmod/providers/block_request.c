// SPDX-License-Identifier: GPL-2.0
/* A table from bios to their stamps. */
#include <linux/cache.h>

#include "providers/block_request.h"

void *kt_block_places __read_mostly;

bool kt_block_table_create(void)
{
	kt_block_places = kt_key_places_alloc(kt_block_table());
	return kt_block_places;
}

void kt_block_table_free(void)
{
	kt_key_places_free(kt_block_table());
	kt_block_places = NULL;
}

static struct kt_block_stamps *block_request_take(const void *key)
{
	struct kt_key *place = kt_key_take(kt_block_table(), (unsigned long)key);

	return place ? container_of(place, struct kt_block_stamps, key) : NULL;
}

struct kt_block_stamps *kt_block_stamps_make(const void *key)
{
	struct kt_block_stamps *stamps = kt_block_stamps_find(key);

	if (likely(!stamps))
		stamps = block_request_take(key);
	if (unlikely(!stamps))
		return NULL;
	stamps->queued = 0;
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
