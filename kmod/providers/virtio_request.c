// SPDX-License-Identifier: GPL-2.0
#include <linux/cache.h>
#include <linux/kernel.h>

#include "providers/virtio_request.h"

/* Receive queues contain many waiting requests: thousands on large machines. */
#define ORDER 16

static void *places __read_mostly;

static __always_inline struct kt_key_table table(void)
{
	return (struct kt_key_table){ places, sizeof(struct kt_virtio_request), ORDER };
}

bool kt_virtio_requests_create(void)
{
	places = kt_key_places_alloc(table());
	return places;
}

void kt_virtio_requests_free(void)
{
	kt_key_places_free(table());
	places = NULL;
}

/*
 * One key for queue and token. Different tokens of one queue have different keys. Two requests of
 * different queues have the same key only if their tokens differ exactly as the hashes of the
 * queues do.
 */
static unsigned long virtio_request_key_of(const struct virtqueue *vq, unsigned long token)
{
	return (token ^ hash_long((unsigned long)vq, BITS_PER_LONG)) ?: 1;
}

bool kt_virtio_request_add(const struct virtqueue *vq, unsigned long token, u64 added)
{
	unsigned long key = virtio_request_key_of(vq, token);
	struct kt_key *place = kt_key_find(table(), key);

	if (likely(!place))
		place = kt_key_take(table(), key);
	if (unlikely(!place))
		return false;
	container_of(place, struct kt_virtio_request, key)->added = added;
	return true;
}

u64 kt_virtio_request_take(const struct virtqueue *vq, unsigned long token)
{
	struct kt_key *place = kt_key_find(table(), virtio_request_key_of(vq, token));
	u64 added;

	if (unlikely(!place))
		return 0;
	added = container_of(place, struct kt_virtio_request, key)->added;
	kt_key_drop(table(), place);
	return added;
}
