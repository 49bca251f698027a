/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STREAM_H
#define STREAM_H

#include <stdbool.h>
#include <stdint.h>

#include "client/client.h"
#include "session/event.h"

/* The consumer of a stream's events. Each function may be NULL. */
struct stream_sink {
	/* Takes the next event, in order of time. */
	void (*event)(void *arg, const struct ktr_record *event);
	/*
	 * Called before new events are passed to event(), to read the names that they use from the
	 * module. Returns 0 or a negative errno.
	 */
	int (*look)(void *arg);
	/* Writes the events so far. After it returns false, nothing is acknowledged any more. */
	bool (*flush)(void *arg);
	void *arg;
};

/* A reader of the streams of all CPUs of a session. */
struct stream;

struct stream *stream_create(struct ktr *ktr, uint64_t session,
			     const struct stream_sink *sink);
void stream_free(struct stream *stream);

/*
 * Makes one pass over all CPUs. It acknowledges the packets whose events were all passed on and
 * flushed, reads the new packets, passes on the events whose order is final, and flushes.
 * *nr_packets is the number of new packets. Returns 0 or a negative errno: -EBUSY if another
 * process reads the stream; -EIO if the sink could not write, after which nothing is read or
 * acknowledged any more.
 */
int stream_read(struct stream *stream, size_t *nr_packets);

/* All records before the returned time (ns, CLOCK_MONOTONIC) have been read. 0: unknown. */
uint64_t stream_clock(const struct stream *stream);

/*
 * Reads, passes on and flushes all records from before the call, whether the session runs or not.
 * It leaves the last packets unacknowledged. Returns 0 or a negative errno: -EINTR if *is_cancelled
 * became true, after it has passed on what was read; -EIO if the sink could not write.
 */
int stream_finish(struct stream *stream, const volatile int *is_cancelled);

/*
 * Acknowledges all events that were passed on. Call it after stream_finish(), when the results are
 * written, too. Returns 0 or a negative errno: -EIO if the sink could not write; the records then
 * stay in the module.
 */
int stream_acknowledge(struct stream *stream);

#endif
