/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ASKER_H
#define ASKER_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/types.h>

#include "stream/away.h"
#include "stream/seccomp.h"
#include "util/err.h"

/*
 * A process without privileges that speaks with others about metrics, and asks this process for
 * them. It ends when this process does.
 */
struct asker {
	pid_t pid;	/* 0: there is none, or it is away (away.h) */
	int connection;	/* to a process that is away, or -1 */
	int fd;		/* readable when metrics are asked for, or the process has ended; -1: there is none */
};

#define ASKER_NONE ((struct asker){ .connection = -1, .fd = -1 })

/* What such a process does. */
struct asker_work {
	const char *name;	/* of the process */
	enum away_kind kind;
	int file;		/* a descriptor that it keeps, or -1 */
	enum seccomp_kind rights;
	const char *text;	/* an address, or NULL */
	uint64_t interval;	/* ns */
	FILE *words;		/* for what it reports */
	/* Prepares, before privileges are dropped. Returns 0, or -1 with err set. May be NULL. */
	int (*begin)(const struct asker_work *work, int reader, struct err *err);
	void (*run)(const struct asker_work *work, int reader);
};

/* Starts it, before the module is opened. Returns 0, or -1 with err set. */
int asker_start(struct asker *asker, const struct asker_work *work, struct err *err);
void asker_end(struct asker *asker);

/* In the process: does this work for the reader behind a socket, and ends the process. */
void asker_run(const struct asker_work *work, int reader);

/*
 * In the process: asks for metrics in a form. Writes them to out, and returns their media type,
 * valid until the next call; or NULL with err set. Ends the process if the reader has ended.
 */
const char *asker_ask(int reader, const char *form, FILE *out, struct err *err);

/* Writes metrics to out. Returns their media type, or NULL with err set. */
typedef const char *(*asker_write_fn)(void *arg, const char *form, FILE *out, struct err *err);
/* Answers if metrics are asked for. Returns false if the process has ended. */
bool asker_answer(struct asker *asker, asker_write_fn write, void *arg);

#endif
