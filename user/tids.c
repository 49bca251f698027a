// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "mem.h"
#include "tids.h"

void tids_init(struct tids *tids, size_t len)
{
	tids->len = len;
	tids->nr = 0;
	tids->room = 64;
	tids->all = mem_alloc(tids->room * len);
}

void tids_free(struct tids *tids)
{
	free(tids->all);
}

static struct tid *slot_of(const struct tids *tids, uint32_t tid)
{
	size_t i = tid * 2654435761u % tids->room;
	struct tid *slot;

	for (;; i = (i + 1) % tids->room) {
		slot = (void *)(tids->all + i * tids->len);
		if (!slot->is_used || slot->tid == tid)
			return slot;
	}
}

static void grow(struct tids *tids)
{
	struct tids larger = { .len = tids->len, .nr = tids->nr, .room = tids->room * 2 };
	const struct tid *old = NULL;

	larger.all = mem_alloc(larger.room * larger.len);
	while ((old = tids_next(tids, old)))
		memcpy(slot_of(&larger, old->tid), old, tids->len);
	tids_free(tids);
	*tids = larger;
}

void *tids_get(struct tids *tids, uint32_t tid)
{
	struct tid *slot = slot_of(tids, tid);

	if (slot->is_used)
		return slot;
	if (++tids->nr * 2 > tids->room) {
		grow(tids);
		slot = slot_of(tids, tid);
	}
	slot->is_used = true;
	slot->tid = tid;
	return slot;
}

void *tids_next(const struct tids *tids, const void *before)
{
	char *at = before ? (char *)before + tids->len : tids->all;

	for (; at < tids->all + tids->room * tids->len; at += tids->len)
		if (((struct tid *)at)->is_used)
			return at;
	return NULL;
}
