/* SPDX-License-Identifier: GPL-2.0 */
#ifndef ROWS_H
#define ROWS_H

#include "stream/streamer.h"

struct json_object;

/* The window of a document's tables: ns, CLOCK_MONOTONIC. */
struct rows_window {
	const char *session;	/* the name that the rows have; "" if the session has none */
	uint64_t from, to;
};

/*
 * Passes each row of a document's tables to all outlets, as an event of its own: a member of the
 * document that is a list of objects is a table. An outlet that takes nothing for a second misses
 * the rows, which is counted.
 */
void rows_pass(struct streamer *streamer, struct json_object *document,
	       const struct rows_window *window);

#endif
