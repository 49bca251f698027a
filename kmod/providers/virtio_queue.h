/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_VIRTIO_QUEUE_H
#define KT_VIRTIO_QUEUE_H

#include <linux/virtio.h>

#include <uapi/ktrace.h>

struct kt_virtio_queue {
	u32 key;		/* device << 16 | queue, + 1; 0: free */
	u32 is_named;
	char name[24];		/* by its driver, maybe cut off */
};

/* The queues of a session, by number: that of the place in the table. */
struct kt_virtio_queues {
	struct kt_virtio_queue queues[KTRACE_VIRTIO_QUEUES];
};

u32 kt_virtio_queue_number_slow(struct kt_virtio_queues *queues, const struct virtqueue *vq);

static inline u32 kt_virtio_queue_key(const struct virtqueue *vq)
{
	return ((u32)vq->vdev->index << 16 | (vq->index & 0xffff)) + 1;
}

static inline u32 kt_virtio_queue_home(u32 key)
{
	return key * 0x9e3779b9U >> (32 - KTRACE_VIRTIO_QUEUES_ORDER);
}

/* Any context. The number of a queue, which gets one if it is new, or that of all later ones. */
static inline u32 kt_virtio_queue_number(struct kt_virtio_queues *queues,
					 const struct virtqueue *vq)
{
	u32 key = kt_virtio_queue_key(vq), home = kt_virtio_queue_home(key);

	return likely(READ_ONCE(queues->queues[home].key) == key) ? home :
	       kt_virtio_queue_number_slow(queues, vq);
}

/*
 * Device and queue of a number, to keys; name is NULL until it has one. Neither is touched if the
 * number is free, or that of all later ones.
 */
void kt_virtio_queue_get(struct kt_virtio_queues *queues, u32 number, u64 keys[2],
			 const char **name);

#endif
