/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_VIRTIO_REQUEST_H
#define KT_VIRTIO_REQUEST_H

#include <linux/types.h>

#include "lib/key_table.h"

struct virtqueue;

/*
 * What lies in a queue, known by the queue and the driver's token for it. Drivers do not add
 * to a queue and take from it at once.
 */
struct kt_virtio_request {
	struct kt_key key;
	u64 added;	/* ticks */
};

/* Process context, sleep; one after the other. While there is no table, nothing below. */
bool kt_virtio_requests_create(void);
void kt_virtio_requests_free(void);	/* no hit runs any more */

/* All below: any context but NMI. False: too many are under way in its neighbourhood. */
bool kt_virtio_request_add(const struct virtqueue *vq, unsigned long token, u64 added);
/* It is there no more. When it was added; 0: that was not seen. */
u64 kt_virtio_request_take(const struct virtqueue *vq, unsigned long token);

#endif
