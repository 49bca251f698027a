// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "providers/virtio_queue.h"

/* The xchg() orders the name before is_named, so that a reader sees the whole name. */
static void virtio_queue_name_it(struct kt_virtio_queue *queue, const struct virtqueue *vq)
{
	if (vq->name)
		strscpy(queue->name, vq->name, sizeof(queue->name));
	xchg(&queue->is_named, 1);
}

u32 kt_virtio_queue_number_slow(struct kt_virtio_queues *queues, const struct virtqueue *vq)
{
	u32 key = kt_virtio_queue_key(vq), home = kt_virtio_queue_home(key), n, at, is;

	for (n = 0; n < KTRACE_VIRTIO_QUEUES; n++) {
		at = (home + n) % KTRACE_VIRTIO_QUEUES;
		is = READ_ONCE(queues->queues[at].key);
		if (!is) {
			is = cmpxchg(&queues->queues[at].key, 0, key);
			if (!is)
				virtio_queue_name_it(&queues->queues[at], vq);
		}
		if (!is || is == key)
			return at;
	}
	return KTRACE_VIRTIO_QUEUES;
}

void kt_virtio_queue_get(struct kt_virtio_queues *queues, u32 number, u64 keys[2],
			 const char **name)
{
	struct kt_virtio_queue *queue = &queues->queues[number];
	u32 key = number < KTRACE_VIRTIO_QUEUES ? READ_ONCE(queue->key) : 0;

	if (!key)
		return;
	keys[0] = (key - 1) >> 16;
	keys[1] = (key - 1) & 0xffff;
	/* The cmpxchg() orders the read of is_named before the read of the name. */
	*name = cmpxchg(&queue->is_named, 1, 1) && *queue->name ? queue->name : NULL;
}
