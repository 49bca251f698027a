/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_VIRTIO_REQUEST_H
#define KT_VIRTIO_REQUEST_H

#include <linux/types.h>

#include "lib/key_table.h"

struct virtqueue;

/*
 * A request in a queue, identified by the queue and the driver's token. A driver does not add to a
 * queue and take from it at the same time.
 */
struct kt_virtio_request {
	struct kt_key key;
	u64 added;	/* ticks */
};

/*
 * Process context, may sleep, serialized by the caller. The functions below need the table. Create
 * returns false if there is no memory.
 */
bool kt_virtio_requests_create(void);
void kt_virtio_requests_free(void);	/* no hit runs any more */

/* Returns false if all places near the hash are in use. Any context but NMI, also for take. */
bool kt_virtio_request_add(const struct virtqueue *vq, unsigned long token, u64 added);
/* Forgets a request. Returns when it was added, ticks; 0 if this was not seen. */
u64 kt_virtio_request_take(const struct virtqueue *vq, unsigned long token);

#endif
