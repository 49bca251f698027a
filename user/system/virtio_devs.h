/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIRTIO_DEVS_H
#define VIRTIO_DEVS_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* A virtio device of this machine, from sysfs. */
struct virtio_dev {
	uint32_t index;		/* 3 for virtio3 */
	char driver[32];	/* "virtio_blk"; "": no driver */
	char is[32];		/* its name: "vda", "eth0", a mount tag, "host2"; "": unknown */
	char at[32];		/* its parent device: "0000:00:03.0" */
};

struct virtio_devs {
	struct virtio_dev *devs;	/* in order of index */
	size_t nr;
};

/* Returns 0, or -1 with err set if there are no devices. */
int virtio_devs_read(struct virtio_devs *devs, struct err *err);
void virtio_devs_free(struct virtio_devs *devs);

/* Finds a device by index. Returns NULL if there is none. */
const struct virtio_dev *virtio_devs_get(const struct virtio_devs *devs, uint32_t index);

/*
 * Finds a device by "virtio3", "vda", "/dev/vda", "eth0" or "0000:00:03.0". Returns NULL with err
 * set if there is none.
 */
const struct virtio_dev *virtio_devs_find(const struct virtio_devs *devs, const char *name,
					  struct err *err);

#endif
