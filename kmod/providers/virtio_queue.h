/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_VIRTIO_QUEUE_H
#define KT_VIRTIO_QUEUE_H

#include <linux/virtio.h>

#include <uapi/ktrace.h>

struct kt_virtio_queue {
	u32 key;		/* device << 16 | queue, + 1; 0: free */
	u32 is_named;
	char name[24];		/* given by the driver; may be truncated */
};

/* The queues of a session. The number of a queue is its index in the table. */
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

/*
 * Returns the number of a queue; a new queue gets a number. Returns KTRACE_VIRTIO_QUEUES if the
 * table is full. Any context.
 */
static inline u32 kt_virtio_queue_number(struct kt_virtio_queues *queues,
					 const struct virtqueue *vq)
{
	u32 key = kt_virtio_queue_key(vq), home = kt_virtio_queue_home(key);

	return likely(READ_ONCE(queues->queues[home].key) == key) ? home :
	       kt_virtio_queue_number_slow(queues, vq);
}

/*
 * Stores device and queue of a number in keys, and the name, or NULL if the queue has none (yet).
 * If the number belongs to no single queue, neither keys nor name are changed.
 */
void kt_virtio_queue_get(struct kt_virtio_queues *queues, u32 number, u64 keys[2],
			 const char **name);

#endif
