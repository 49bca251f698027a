// SPDX-License-Identifier: GPL-2.0
#include <linux/cache.h>
#include <linux/kernel.h>

#include "virtio_request.h"

/* Receive queues are full of requests that wait: thousands, on large machines. */
#define ORDER 16

static void *places __read_mostly;

static __always_inline struct kt_key_table table(void)
{
	return (struct kt_key_table){ places, sizeof(struct kt_virtio_request), ORDER };
}

bool kt_virtio_requests_create(void)
{
	const struct kt_key_table requests = table();

	places = kt_key_places_alloc(&requests);
	return places;
}

void kt_virtio_requests_free(void)
{
	const struct kt_key_table requests = table();

	kt_key_places_free(&requests);
	places = NULL;
}

/*
 * Of both at once. Tokens of one queue stay apart; for two of different queues to be taken for
 * one another, they would have to differ in just what the hashes of the queues do.
 */
static unsigned long key_of(const struct virtqueue *vq, unsigned long token)
{
	return (token ^ hash_long((unsigned long)vq, BITS_PER_LONG)) ?: 1;
}

bool kt_virtio_request_add(const struct virtqueue *vq, unsigned long token, u64 added)
{
	const struct kt_key_table requests = table();
	unsigned long key = key_of(vq, token);
	struct kt_key *place = kt_key_find(requests, key);

	if (likely(!place))
		place = kt_key_take(&requests, key);
	if (unlikely(!place))
		return false;
	container_of(place, struct kt_virtio_request, key)->added = added;
	return true;
}

u64 kt_virtio_request_take(const struct virtqueue *vq, unsigned long token)
{
	const struct kt_key_table requests = table();
	struct kt_key *place = kt_key_find(requests, key_of(vq, token));
	u64 added;

	if (unlikely(!place))
		return 0;
	added = container_of(place, struct kt_virtio_request, key)->added;
	kt_key_drop(&requests, place);
	return added;
}
