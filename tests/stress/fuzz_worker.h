/* SPDX-License-Identifier: GPL-2.0 */
/* Sends what a seed tells on several sockets, and sees that all is answered. */
#ifndef FUZZ_WORKER_H
#define FUZZ_WORKER_H

#include "messages.h"
#include "tally.h"

/* False, with a word why: an answer was missing, or was none. */
bool fuzz_work(struct known *known, struct tally *tally, uint64_t seed, uint64_t nr_messages,
	       const struct maker *files);

#endif
