/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_VIRTIO_QUEUE_H
#define KT_VIRTIO_QUEUE_H

#include <linux/virtio.h>

#include <uapi/ktrace.h>

#include "lib/number.h"

/* The queues of a session, by their numbers. */
struct kt_virtio_queues {
	u32 keys[KTRACE_VIRTIO_QUEUES];	/* device << 16 | queue, + 1 */
	struct kt_virtio_name {
		u32 is_set;
		char text[24];		/* given by the driver; may be truncated */
	} names[KTRACE_VIRTIO_QUEUES];
};

u32 kt_virtio_queue_number_slow(struct kt_virtio_queues *queues, const struct virtqueue *vq);

static inline u32 kt_virtio_queue_key(const struct virtqueue *vq)
{
	return ((u32)vq->vdev->index << 16 | (vq->index & 0xffff)) + 1;
}

/*
 * Returns the number of a queue; a new queue gets a number. Returns KTRACE_VIRTIO_QUEUES if the
 * table is full. Any context.
 */
static inline u32 kt_virtio_queue_number(struct kt_virtio_queues *queues,
					 const struct virtqueue *vq)
{
	u32 key = kt_virtio_queue_key(vq);
	u32 home = kt_number_home(KTRACE_VIRTIO_QUEUES_ORDER, key);

	return likely(READ_ONCE(queues->keys[home]) == key) ? home :
	       kt_virtio_queue_number_slow(queues, vq);
}

/*
 * Stores device and queue of a number in keys, and the name, or NULL if the queue has none (yet).
 * If the number belongs to no single queue, neither keys nor name are changed.
 */
void kt_virtio_queue_get(struct kt_virtio_queues *queues, u32 number, u64 keys[2],
			 const char **name);

#endif
