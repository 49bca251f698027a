/* SPDX-License-Identifier: GPL-2.0 */
#ifndef STREAMER_H
#define STREAMER_H

#include "stream/feed.h"
#include "stream/outlet.h"

/* Sessions whose records go to the same outlets. */
struct streamer {
	struct ktr *ktr;
	struct outlet **outlets;	/* opened by streamer_open() */
	size_t nr_outlets;
	struct feed **feeds;
	size_t nr_feeds;
	int news;			/* streamer_fd() */
	size_t turn;			/* the feed that is first in the next pass */
};

/*
 * Starts the senders of all sinks in texts, before the module is opened: they get none of this
 * process's files. Returns 0, or -1 with err set.
 */
int streamer_open(struct streamer *streamer, const char *const *texts, size_t nr,
		  const struct link_limits *limits, FILE *words, struct err *err);
void streamer_close(struct streamer *streamer);

/* Prints a line about what each sink's delivery is worth. */
void streamer_tell_promises(FILE *out, const struct streamer *streamer);

/* Adds a session. Returns 0, or -1 with err set. */
int streamer_add(struct streamer *streamer, const struct ktr_session *session,
		 const struct feed_options *options, struct err *err);

/*
 * Delivers what there is now. *nr_left: sessions that have not ended; *has_more: there may be more
 * at once. Returns 0, or -1 with err set.
 */
int streamer_pass(struct streamer *streamer, size_t *nr_left, bool *has_more, struct err *err);

/* Returns a descriptor that is readable when a session or a sender has news. */
int streamer_fd(struct streamer *streamer);

/* Returns true if no outlet takes records any more. */
bool streamer_is_over(const struct streamer *streamer);

/*
 * Delivers what the sessions have recorded before the call, waits for answers, and ends the
 * streams. It waits no longer than ms if an outlet takes nothing, or until one more end is
 * requested (util/signals.h). Returns 0, or -1 with err set.
 */
#define STREAMER_STOP_MS 5000
int streamer_finish(struct streamer *streamer, int ms, struct err *err);

/*
 * Reports losses, refusals and what was left in the module. Returns true if all records were
 * delivered.
 */
bool streamer_tell_losses(FILE *out, const struct streamer *streamer);

#endif
