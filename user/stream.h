/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "event.h"
#include "nl.h"

/* What becomes of a stream's events, which come in order. */
struct stream_sink {
	void (*event)(void *arg, const struct event *event);	/* or NULL */
	/*
	 * What the events that come next, and were not known before, stand for is to be read
	 * from the module now. 0 or a negative errno; or NULL.
	 */
	int (*look)(void *arg);
	/* False: what was given could not be written, so it is not to be acknowledged. */
	bool (*flush)(void *arg);
	void *arg;
};

/* Reads the streams of all CPUs of a session. */
struct stream;

struct stream *stream_create(struct knl *nl, uint64_t session,
			     const struct stream_sink *sink);
void stream_free(struct stream *stream);

/*
 * Reads once what is there, and flushes it; *nr_packets says how many packets that was. Returns
 * 0 or a negative errno: EBUSY when another process reads the stream; EIO: not written, so that
 * nothing is acknowledged any more.
 */
int stream_read(struct stream *stream, size_t *nr_packets);

/* What was recorded before has been given by that; CLOCK_MONOTONIC, ns, 0: not known. */
uint64_t stream_clock(const struct stream *stream);

/*
 * Reads all that was recorded before the call, of a session that runs or not, and
 * acknowledges it once it is written. -EINTR: *is_cancelled became true; -EIO: not written.
 */
int stream_finish(struct stream *stream, const volatile int *is_cancelled);

#endif
