/* SPDX-License-Identifier: GPL-2.0 */
#ifndef MERGED_H
#define MERGED_H

#include <stdbool.h>

#include "keep/packets.h"
#include "keep/recording.h"
#include "util/err.h"

/* The records of all CPUs of a recording, or of one session, in the order of their times. */
struct merged;

/* session: only this one; NULL: all. Returns NULL with err set. */
struct merged *merged_open(const struct recording *recording, struct kept_session *session,
			   struct err *err);
void merged_close(struct merged *merged);

/*
 * Called for each record, which is valid during the call: packets->record at packets->time, or
 * NULL for a gap. Returns false to end.
 */
typedef bool merged_fn(void *arg, const struct packets *packets);
/* Called from time to time with how much was read, 0 to 1. Returns false to end. */
typedef bool merged_look(void *arg, double part);

/* Calls fn for all records. look may be NULL. Returns false if one of them has ended it. */
bool merged_each(struct merged *merged, merged_fn *fn, void *arg, merged_look *look, void *look_arg);

/*
 * Calls fn for each file that could not be read to its end; packets->at: where the part that can be
 * read ends.
 */
void merged_each_damage(const struct merged *merged,
			void (*fn)(void *arg, const struct packets *packets), void *arg);
/*
 * Cuts files that end in the middle of a packet behind their last whole one, so that other programs
 * read them, too. Does nothing while the recording is being written, or if a file may not be
 * written. Returns the number of files that were cut.
 */
unsigned int merged_cut(const struct merged *merged, const struct recording *recording);

/* Reads the current record as commands do that read a session. Returns false for a gap. */
bool merged_record(const struct packets *packets, struct ktr_record *record);

#endif
