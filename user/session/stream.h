/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "nl/nl.h"
#include "session/event.h"

/* The consumer of a stream's events, which come in order. */
struct stream_sink {
	void (*event)(void *arg, const struct event *event);	/* or NULL */
	/*
	 * What the events that come next, and were not known before, stand for is to be read
	 * from the module now. 0 or a negative errno; or NULL.
	 */
	int (*look)(void *arg);
	/* Writes the given events. False: it failed, and nothing is acknowledged any more. */
	bool (*flush)(void *arg);
	void *arg;
};

/* Reads the streams of all CPUs of a session. */
struct stream;

struct stream *stream_create(struct knl *nl, uint64_t session,
			     const struct stream_sink *sink);
void stream_free(struct stream *stream);

/*
 * Acknowledges the packets whose events were all given and written, then reads once what is there,
 * gives the events whose order is final, and flushes; *nr_packets is the number of new packets.
 * Returns 0 or a negative errno: EBUSY when another process reads the stream; EIO: not written,
 * and nothing is read or acknowledged any more.
 */
int stream_read(struct stream *stream, size_t *nr_packets);

/* Records before this time have been given; CLOCK_MONOTONIC, ns, 0: not known. */
uint64_t stream_clock(const struct stream *stream);

/*
 * Reads, gives and flushes all that was recorded before the call, of a session that runs or not.
 * The end of it is not acknowledged yet. -EINTR: *is_cancelled became true, and what had been read
 * was given; -EIO: not written.
 */
int stream_finish(struct stream *stream, const volatile int *is_cancelled);

/*
 * After stream_finish(), once its results are written, too: acknowledges all that was given.
 * Returns 0 or a negative errno; EIO: it was not written, and stays in the module.
 */
int stream_acknowledge(struct stream *stream);

#endif
