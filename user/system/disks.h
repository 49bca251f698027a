/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DISKS_H
#define DISKS_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* Disks are major << 20 | minor, as the kernel has it. */
#define DISK_NAME_LEN 64

/* "vda", or "8:0" of one that is gone; returns text. */
const char *disk_name(char text[DISK_NAME_LEN], uint32_t dev);

/* "8:0"; returns text. */
const char *disk_number(char text[DISK_NAME_LEN], uint32_t dev);

/* Of "vda", "/dev/vda" or "8:0". -1: err says why there is none. */
int disk_find(const char *name, uint32_t *dev, struct err *err);

#endif
