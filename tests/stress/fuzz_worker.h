/* SPDX-License-Identifier: GPL-2.0 */
/* Sends messages that depend on a seed on several sockets, and checks that all are answered. */
#ifndef FUZZ_WORKER_H
#define FUZZ_WORKER_H

#include "messages.h"
#include "tally.h"

/* Returns false, and prints the reason, if an answer is missing or wrong. */
bool fuzz_work(struct known *known, struct tally *tally, uint64_t seed, uint64_t nr_messages,
	       const struct maker *files);

#endif
