/* SPDX-License-Identifier: GPL-2.0 */
/* The results of a fuzzer's messages, in shared memory. */
#ifndef TALLY_H
#define TALLY_H

#include <stdbool.h>
#include <stdint.h>

#include "../../include/uapi/ktrace.h"

#define NR_ERRNOS 134
#define NR_COMMANDS 256

struct tally {
	uint64_t sent;
	uint64_t valid;			/* sent unchanged */
	uint64_t refused;		/* by the socket itself: too long */
	uint64_t abandoned;		/* their socket was closed before the answer */
	uint64_t closed;		/* sockets */
	uint64_t overruns;		/* sockets that missed notices */
	uint64_t answers[NR_COMMANDS][2][NR_ERRNOS];	/* [is_dump][errno] */
};

/* Returns false, and prints the reason, if the manual does not have that errno. */
bool tally_answer(struct tally *tally, uint8_t cmd, bool is_dump, int error);
/* Prints a line per kind of message. Returns false if one succeeded less often than the minimum. */
bool tally_print(const struct tally *tally, uint64_t min);

#endif
