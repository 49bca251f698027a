/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_NAMES_H
#define IO_NAMES_H

#include <stdint.h>

#include "system/disks.h"
#include "uapi/ktrace_record.h"

#define IO_PATH_LEN 512

/* The last names looked up: requests of one file mostly come in a row. */
struct io_names {
	uint32_t dev, file_dev, pid;
	uint64_t inode;
	uint64_t looked;		/* time of the last look-up, ns */
	char disk[DISK_NAME_LEN];
	char path[IO_PATH_LEN];		/* "" if not known */
};

/* Looks up the disk in sysfs, and the file in its process, then in its file system. */
void io_names_fill(struct io_names *names, const struct ktrace_request_record *request,
		   uint64_t now_ns);

#endif
