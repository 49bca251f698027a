/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SENDER_H
#define SENDER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "stream/part.h"
#include "stream/sink.h"
#include "util/err.h"

/*
 * A process that delivers the parts for one sink, one at a time, and parses what the collector
 * answers. It has no privileges and none of the reader's files, and it may wait as long as the
 * collector does. It ends when the reader does; a reader whose sender has ended starts another.
 */
struct sender {
	const struct sink_kind *kind;
	const char *address;
	struct link_limits limits;
	pid_t pid;		/* 0: it has ended, or is away (away.h) */
	int connection;		/* to a process that is away, or -1 */
	int memory;		/* the file of the part for such processes, or -1 */
	int fd;			/* readable when an answer has come, or the sender has ended */
	struct part *part;	/* the sender's from sender_pass() until ANSWER_DONE */
	uint32_t serial;	/* of the last part */
	uint64_t until;		/* of sender_dismiss(), or 0 */
};

enum answer_kind {
	ANSWER_DONE,		/* the part is delivered, except for what was refused */
	ANSWER_DOWN,		/* it cannot be delivered now, and is tried again */
	ANSWER_UP,		/* the collector is there again */
	ANSWER_OVER,		/* it will never take more, and the sender has ended */
	ANSWER_ENDED		/* the sender has ended without an answer */
};

struct answer {
	uint32_t kind;
	uint32_t serial;	/* DONE: of the part */
	uint32_t refused;	/* DONE: messages */
	char text[256];		/* why */
};

/* Starts the process for kind, address and limits. Returns 0, or -1 with err set. */
int sender_start(struct sender *sender, struct err *err);
/* The same for a sender that has ended. */
int sender_restart(struct sender *sender, struct err *err);
/* Ends the process; what it has not answered is not delivered. sender_end() frees the part, too. */
void sender_stop(struct sender *sender);
/* Begins to end it; sender_stop() waits for its farewell until then (ns, CLOCK_MONOTONIC). */
void sender_dismiss(struct sender *sender, uint64_t until);
void sender_end(struct sender *sender);

/* In a process that is away: works for a sink and this socket and part. Returns -1 with err set. */
int sender_run_away(const char *sink, int reader, int memory, struct err *err);

/* Passes the part on. */
void sender_pass(struct sender *sender);
/* Takes an answer that has come. Returns false if there is none. */
bool sender_take_answer(struct sender *sender, struct answer *answer);

#endif
