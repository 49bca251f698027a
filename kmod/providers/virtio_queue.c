// SPDX-License-Identifier: GPL-2.0
#include <linux/atomic.h>
#include <linux/kernel.h>
#include <linux/string.h>

#include "providers/virtio_queue.h"

/*
 * The first hits of a queue may all write its name: the same text. The xchg() orders the name
 * before is_set, so that a reader sees the whole name.
 */
u32 kt_virtio_queue_number_slow(struct kt_virtio_queues *queues, const struct virtqueue *vq)
{
	u32 number = kt_number(queues->keys, KTRACE_VIRTIO_QUEUES_ORDER, kt_virtio_queue_key(vq),
			       false);
	struct kt_virtio_name *name = &queues->names[number];

	if (number == KTRACE_VIRTIO_QUEUES || READ_ONCE(name->is_set))
		return number;
	if (vq->name)
		strscpy(name->text, vq->name, sizeof(name->text));
	xchg(&name->is_set, 1);
	return number;
}

void kt_virtio_queue_get(struct kt_virtio_queues *queues, u32 number, u64 keys[2],
			 const char **name)
{
	struct kt_virtio_name *is = &queues->names[number];
	u32 key = number < KTRACE_VIRTIO_QUEUES ? READ_ONCE(queues->keys[number]) : 0;

	if (!key)
		return;
	keys[0] = (key - 1) >> 16;
	keys[1] = (key - 1) & 0xffff;
	/* The cmpxchg() orders the read of is_set before the read of the text. */
	*name = cmpxchg(&is->is_set, 1, 1) && *is->text ? is->text : NULL;
}
