/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIRTIO_ROWS_H
#define VIRTIO_ROWS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"
#include "report/hist.h"
#include "system/virtio_devs.h"

#define VIRTIO_NR_WHATS (KTRACE_VIRTIO_INTERRUPT + 1)

/* What is known of a queue. */
struct virtio_row {
	uint32_t number;	/* the session's */
	bool has_dev;		/* it is one queue's, not those' beyond the module's table */
	uint32_t device;	/* 3 of virtio3 */
	uint32_t queue;
	char name[32];		/* of the queue, by its driver */
	const struct virtio_dev *dev;	/* or NULL: it is gone */
	struct ktrace_stats stats[VIRTIO_NR_WHATS];	/* by enum ktrace_virtio_what */
	struct hist hist;	/* of times from add to used */
};

struct virtio_rows {
	struct virtio_row *rows;	/* in order of devices and queues */
	size_t nr;
};

/* The module's figures. 0 or a negative errno. */
int virtio_rows_read(struct virtio_rows *rows, struct knl *nl, uint64_t session,
		     uint32_t read_flags, const struct virtio_devs *devs);
void virtio_rows_free(struct virtio_rows *rows);

/* Requests that were added, without those that were refused. */
uint64_t virtio_row_added(const struct virtio_row *row);
/* permille of the requests whose time is known took no longer. */
uint64_t virtio_row_percentile(const struct virtio_row *row, unsigned int permille);

#endif
