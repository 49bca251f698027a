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

/* What the record of one request says, and what its disk and file are called. */
struct io_event {
	struct ktrace_request_record request;
	uint32_t op;			/* enum ktrace_block_op */
	char comm[17];			/* "": not known */
	char disk[DISK_NAME_LEN];
	char path[IO_PATH_LEN];		/* "": not known */
};

/* Texts are made plain. A record that is too short has zeroes; a disk is its number. */
void io_event_parse(struct io_event *to, const struct event *event);

/* What was looked up last: requests of one file mostly come in a row. */
struct io_names {
	uint32_t dev, file_dev, pid;
	uint64_t inode;
	uint64_t looked;		/* when, ns */
	char disk[DISK_NAME_LEN];
	char path[IO_PATH_LEN];
};

/* Asks sysfs for the disk; for the file its process, then its file system. */
void io_names_fill(struct io_names *names, struct io_event *io, uint64_t now_ns);

/* A line: when it ended, s after start_ns; who queued it; how long; what. Then its stages. */
void io_event_print(FILE *out, const struct event *event, const struct io_event *io,
		    uint64_t start_ns);
/* The same as a document on a line, with its stack, if that was asked for. */
void json_print_io_event(FILE *out, const struct event *event, const struct io_event *io,
			 const struct stacks *stacks);

#endif
