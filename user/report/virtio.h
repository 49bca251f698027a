/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIRTIO_H
#define VIRTIO_H

#include <stdio.h>

#include "client/client.h"
#include "report/table.h"
#include "system/virtio_devs.h"

/* The keys of a row, which is a queue. The parts of a row are enum ktrace_virtio_what. */
enum virtio_key { VIRTIO_DEVICE, VIRTIO_QUEUE, VIRTIO_NAME, VIRTIO_DRIVER, VIRTIO_IS, VIRTIO_AT };

extern const struct table_kind virtio_kind;

/* Adds a queue with its name. dev is NULL if the device is gone. */
struct row *virtio_add(struct table *queues, uint32_t device, uint32_t queue, const char *name,
		       const struct virtio_dev *dev);
/* Adds the row for all queues beyond the module's table. */
struct row *virtio_add_others(struct table *queues);

/* Reads the module's figures. Returns 0 or a negative errno. */
int virtio_read(struct table *queues, struct ktr *ktr, uint64_t session, uint32_t read_flags,
		const struct virtio_devs *devs);

/* Prints one histogram of times per queue. */
void virtio_print_hists(FILE *out, const struct table *queues);

#endif
