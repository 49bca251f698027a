/* SPDX-License-Identifier: GPL-2.0 */
#ifndef IO_EVENT_H
#define IO_EVENT_H

#include <stdint.h>
#include <stdio.h>

#include "session/event.h"
#include "system/disks.h"
#include "uapi/ktrace_record.h"

struct stacks;

#define IO_PATH_LEN 512

/* The record of one request, with the names of its disk and file. */
struct io_event {
	struct ktrace_request_record request;
	uint32_t op;			/* enum ktrace_block_op */
	char comm[17];			/* "" if not known */
	char disk[DISK_NAME_LEN];
	char path[IO_PATH_LEN];		/* "" if not known */
};

/*
 * Parses a record. Texts are made plain. Missing members are 0 if the record is too short. The disk
 * is named by its number.
 */
void io_event_parse(struct io_event *to, const struct event *event);

/* The last names looked up: requests of one file mostly come in a row. */
struct io_names {
	uint32_t dev, file_dev, pid;
	uint64_t inode;
	uint64_t looked;		/* time of the last look-up, ns */
	char disk[DISK_NAME_LEN];
	char path[IO_PATH_LEN];
};

/* Looks up the disk in sysfs, and the file in its process, then in its file system. */
void io_names_fill(struct io_names *names, struct io_event *io, uint64_t now_ns);

/*
 * Prints one line: seconds since start_ns at which the request ended, the thread that queued it,
 * its duration, and the request. Prints its stages below.
 */
void io_event_print(FILE *out, const struct event *event, const struct io_event *io,
		    uint64_t start_ns);
/* Prints the same as a JSON document on one line, with its stack if stacks were recorded. */
void json_print_io_event(FILE *out, const struct event *event, const struct io_event *io,
			 const struct stacks *stacks);

#endif
