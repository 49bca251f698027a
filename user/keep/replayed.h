/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The entries and ends of single calls, as a session with a stream reports them. A recording with one
 * record per call has ends only, callees before their caller. Then the calls of a thread wait until its
 * outermost call has ended, and are passed on together.
 */
#ifndef REPLAYED_H
#define REPLAYED_H

#include "keep/filter.h"
#include "keep/merged.h"
#include "util/err.h"

struct replayed;

typedef void replayed_fn(void *arg, const struct kept_session *session,
			 const struct ktr_record *record);

struct replayed *replayed_create(const struct recording *recording, const struct filter *filter,
				 replayed_fn *fn, void *arg);
void replayed_free(struct replayed *replayed);

/* Takes a record of a session with calls, or a gap. */
void replayed_take(struct replayed *replayed, const struct packets *packets);
/*
 * Called after the last record. Returns 0, or -1 with err set if an outermost call had too many
 * calls inside, of which the rest was not passed on.
 */
int replayed_finish(struct replayed *replayed, struct err *err);

#endif
