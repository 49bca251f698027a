/* SPDX-License-Identifier: GPL-2.0 */
/* Valid messages of every command, for sessions and processes that exist. */
#ifndef MESSAGES_H
#define MESSAGES_H

#include <sys/types.h>

#include "genl.h"
#include "random.h"

#define NR_SLOTS 12
#define NR_TARGETS 2

/* The state that all workers share, in shared memory; each word is read and written as a whole. */
struct known {
	struct slot {
		volatile uint64_t id;		/* 0: no session */
		volatile uint32_t provider, sinks, nr_funcs;
		volatile bool is_named;
	} slots[NR_SLOTS];
	volatile int32_t targets[NR_TARGETS];
	volatile uint64_t held_in;		/* the last notice of a task that is held */
	volatile int32_t held_pid;
};

struct maker {
	struct random *random;
	struct known *known;
	int own_file;		/* descriptors */
	int other_file;		/* a regular file that no process executes */
};

/* A kind of message: a command, and whether it is a dump. */
struct kind {
	uint8_t cmd;
	bool is_dump;
	uint8_t weight;		/* how often, compared with the others */
	const char *name;
};

#define NR_KINDS 25
extern const struct kind kinds[NR_KINDS];
const struct kind *kind_choose(struct random *random);

void message_make(const struct maker *maker, const struct kind *kind, int slot,
		  struct message *m);

#endif
