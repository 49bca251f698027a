/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_VIRTIO_H
#define KT_VIRTIO_H

struct kt_provider;

extern const struct kt_provider kt_virtio_provider;	/* queues of virtio devices */

#endif
