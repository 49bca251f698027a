/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_EVENT_H
#define IO_EVENT_H

#include <stdint.h>
#include <stdio.h>

#include "report/record.h"

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

/* Prints the rest of the line of a request, which has used so many columns, and its stages. */
void io_event_print(FILE *out, const struct record *record, size_t columns);

#endif
