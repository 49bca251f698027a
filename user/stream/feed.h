/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FEED_H
#define FEED_H

#include <stdbool.h>
#include <stdint.h>

#include "client/client.h"
#include "report/record.h"
#include "stream/outlet.h"

/*
 * The records of a session on their way to outlets. The ring in the module is the only queue: a
 * packet is acknowledged when every required outlet has delivered or refused its records, and what
 * an outlet could not take yet is read again.
 */
struct feed;

/* What the numbers in a session's records mean. */
struct feed_names {
	struct record_source source;
	/* Reads what is new since the last packet; returns 0 or a negative errno. May be NULL. */
	int (*look)(void *arg, const struct ktr_session *session);
	void *arg;
};

/* What became of what was read at one outlet: read = delivered + refused + skipped + left. */
struct feed_account {
	uint64_t delivered, refused, skipped;	/* records */
	uint64_t cut;		/* of the delivered ones: without their stacks, to be short enough */
};

struct feed_options {
	struct feed_names names;
	uint32_t only;		/* the id of the events to pass on; 0: all ... */
	bool has_entries;	/* ... also the begins of calls, which their ends repeat */
	const struct feed_account *earlier;	/* by outlet: to go on counting; NULL: from 0 */
};

/*
 * Opens the stream of a session. The outlets stay the caller's. Returns NULL with err set if the
 * session has no records, or another reader.
 */
struct feed *feed_open(struct ktr *ktr, const struct ktr_session *session,
		       const struct feed_options *options, struct outlet *const *outlets, size_t nr,
		       struct err *err);
void feed_close(struct feed *feed);

enum feed_state {
	FEED_IDLE,	/* all that there was is delivered */
	FEED_BUSY,	/* there is more */
	FEED_WAITS,	/* no outlet can take more now */
	FEED_ENDED,	/* the session has ended, and all its records are delivered */
	FEED_GONE,	/* the session was deleted */
	FEED_FAILED	/* with err set */
};

/* Makes one pass over the CPUs of the session. */
enum feed_state feed_pass(struct feed *feed, struct err *err);

/* Returns true if packets that were read are not delivered to all outlets. */
bool feed_is_behind(const struct feed *feed);

/* Acknowledges what was delivered, and passes on the last event of the stream. */
void feed_finish(struct feed *feed);

/* The session as the last pass has seen it. */
const struct ktr_session *feed_session(const struct feed *feed);

struct feed_account feed_account(const struct feed *feed, size_t outlet);

#endif
