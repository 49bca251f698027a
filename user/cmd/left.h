/* SPDX-License-Identifier: GPL-2.0 */
#ifndef LEFT_H
#define LEFT_H

#include <stdbool.h>
#include <stdint.h>

#include "client/client.h"
#include "system/program.h"

/* The traced processes that are left when the first ones have ended. */
struct left {
	struct ktr *ktr;
	uint64_t session;
	bool has_no_wait;	/* the command ends with the first processes */
	bool is_told;
	uint64_t since;		/* ns: the first processes have ended, and others were left */
};

#define NO_WAIT_OPTION(type, member)							\
	{ 0, "no-wait", NULL, OPT_FLAG, offsetof(type, member),				\
	  "end with the first processes, even if others that they started still run", NULL }

/*
 * Call it once the first processes have ended: returns true if others are left to wait for. A
 * signal that ends the command ends this wait. Reports a wait that takes long.
 */
bool left_waits(struct left *left);

/* Before the session is stopped: reports processes that go on without being traced. */
void left_tell(const struct left *left);

#endif
