/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIRTIO_H
#define VIRTIO_H

#include <stdio.h>

#include "nl/nl.h"
#include "report/table.h"
#include "system/virtio_devs.h"

/* Queues, in order; the parts of a row are enum ktrace_virtio_what. */
enum virtio_key { VIRTIO_DEVICE, VIRTIO_QUEUE, VIRTIO_NAME, VIRTIO_DRIVER, VIRTIO_IS, VIRTIO_AT };

void virtio_init(struct table *queues);
/* A queue with its name, of a device that may be NULL: it is gone. */
struct row *virtio_add(struct table *queues, uint32_t device, uint32_t queue, const char *name,
		       const struct virtio_dev *dev);
/* The one of all queues beyond the module's table. */
struct row *virtio_add_others(struct table *queues);

/* The module's figures. 0 or a negative errno. */
int virtio_read(struct table *queues, struct knl *nl, uint64_t session, uint32_t read_flags,
		const struct virtio_devs *devs);

/* The order of all that is shown; by device they are in the order of queues. */
#define VIRTIO_COLUMNS "device|requests|out|in|kicks|used|mean|p99|max"
void virtio_sort(struct table *queues, const char *column);
/* How much, and how long: one line for each queue. */
void virtio_print(FILE *out, const struct table *queues);
/* Histograms of the times of each. */
void virtio_print_hists(FILE *out, const struct table *queues);
struct json_object *virtio_json(const struct table *queues);

#endif
