/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entries and ends of the chosen calls of a session, in the order of their times. Depths are those
 * of the calls that are chosen. A recording of ends tells the depth of a call, and that it began, after
 * everything that happened inside. So records are read three times: forward from the recording, back
 * from a spool of ends, where callers come first, and forward again. Memory depends on how many calls
 * are open at once; the spools have at most 120 bytes and the values of each call.
 */
#ifndef ORDERED_H
#define ORDERED_H

#include "keep/calls.h"
#include "keep/filter.h"
#include "keep/merged.h"
#include "util/err.h"

struct ordered;

/* is_hidden: a fork, an exec or the end of a thread that is not chosen. */
typedef void ordered_fn(void *arg, const struct ktr_record *record, bool is_hidden);

struct ordered_options {
	const struct recording *recording;
	struct kept_session *session;
	const struct filter *filter;
	struct calls *calls;	/* of the session, with the same filter; takes the same records */
	int folder;		/* for spools */
	ordered_fn *fn;
	void *arg;
};

struct ordered *ordered_create(const struct ordered_options *options);
void ordered_free(struct ordered *ordered);

/* Takes a record of the session or a gap, before options.calls does. */
void ordered_take(struct ordered *ordered, const struct packets *packets);
/* Called after options.calls has taken the record. */
void ordered_settle(struct ordered *ordered);
/*
 * After calls_finish(): passes on what was not passed on before. Returns 0, or the errno with which the
 * spools could not be written.
 */
int ordered_finish(struct ordered *ordered);

#endif
