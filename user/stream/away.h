/* SPDX-License-Identifier: GPL-2.0 */
#ifndef AWAY_H
#define AWAY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/err.h"

/*
 * Work for a process of another unit. systemd starts ktrace-send@.service for each connection to
 * ktrace-send.socket, so the unit of the reader needs no network, and a sender has neither the
 * reader's capabilities nor its view of other processes. The reader sends one message, with files,
 * by this connection, and keeps it: the kernel kills the process when the reader closes it or ends.
 */
enum away_kind {
	AWAY_SENDER = 1,	/* text: a sink; files: a socket to the reader, the part */
	AWAY_PAGE,		/* text: an address; files: a socket to the reader, a listener if there is one */
	AWAY_PUSH		/* text: a URL; files: a socket to the reader */
};

#define AWAY_FILES 2

struct away_work {
	char version[32];	/* of the reader's command; set by away_start(), as are variables */
	uint32_t kind;
	uint32_t zero;
	uint64_t interval;	/* ns; AWAY_PUSH */
	char text[4096];
	char variables[8192];	/* "NAME=VALUE", each with its zero: what libraries of senders read */
};

/* Returns true if the unit of this process says that senders have their own: KTRACE_SEND is a path. */
bool away_is_used(void);

/*
 * Passes work and files on to a new process. Returns the connection: closing it kills the process.
 * Returns -1 with err set if no process can be started.
 */
int away_start(const struct away_work *work, const int *files, size_t nr, struct err *err);

/*
 * In the process: takes the work, checks it, and binds the life of this process to the connection,
 * which is standard input. A file that did not come is -1. Returns 0, or -1 with err set.
 */
int away_take(struct away_work *work, int files[AWAY_FILES], struct err *err);

#endif
