/* SPDX-License-Identifier: GPL-2.0 */
#ifndef VIRTIO_DEVS_H
#define VIRTIO_DEVS_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* A virtio device of this machine, by sysfs. */
struct virtio_dev {
	uint32_t index;		/* 3 of virtio3 */
	char driver[32];	/* "virtio_blk"; "": none drives it */
	char is[32];		/* "vda", "eth0", a mount tag, "host2"; "": not known */
	char at[32];		/* what it is plugged in: "0000:00:03.0" */
};

struct virtio_devs {
	struct virtio_dev *devs;	/* in order of index */
	size_t nr;
};

/* -1: there are none, and err says what that means. */
int virtio_devs_read(struct virtio_devs *devs, struct err *err);
void virtio_devs_free(struct virtio_devs *devs);

/* By index; NULL: it is gone. */
const struct virtio_dev *virtio_devs_get(const struct virtio_devs *devs, uint32_t index);

/* By "virtio3", "vda", "/dev/vda", "eth0", "0000:00:03.0"; NULL, with err set. */
const struct virtio_dev *virtio_devs_find(const struct virtio_devs *devs, const char *name,
					  struct err *err);

#endif
