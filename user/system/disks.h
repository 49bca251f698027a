/* SPDX-License-Identifier: GPL-2.0 */
#ifndef DISKS_H
#define DISKS_H

#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/* A disk is major << 20 | minor, as in the kernel. */
#define DISK_NAME_LEN 64

/* Writes "vda", or "8:0" if there is no such disk now. Returns text. */
const char *disk_name(char text[DISK_NAME_LEN], uint32_t dev);

/* Writes "8:0". Returns text. */
const char *disk_number(char text[DISK_NAME_LEN], uint32_t dev);

/* Finds the disk "vda", "/dev/vda" or "8:0". Returns 0, or -1 with err set. */
int disk_find(const char *name, uint32_t *dev, struct err *err);

#endif
