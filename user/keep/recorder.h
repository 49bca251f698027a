/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "keep/documents.h"
#include "keep/recorded_session.h"
#include "util/err.h"

/*
 * A recording on the disk: the packets of sessions as the module made them, and what their numbers
 * mean. Packets are not decoded. At every moment the folder can be read up to the last whole packet
 * of each CPU.
 */
struct recorder;

struct recorder_options {
	const char *path;	/* of the folder */
	bool is_forced;		/* a recording that is there is replaced */
	uint64_t sync_ns;	/* what was recorded longer ago is on the disk */
	unsigned int turn;	/* packets of a session in a pass; 0: a usual number */
	bool leaves_packets;	/* they are not acknowledged: another reader gets them, too */
	struct ktrace_clocks begin;	/* of the sessions; all 0: they begin now */
};

/* Checks the folder, and creates it; changes nothing in it. Returns NULL with err set. */
struct recorder *recorder_open(struct ktr *ktr, const struct recorder_options *options,
			       struct err *err);
/*
 * Removes the former recording, and begins this one. subject->boot and subject->begin need not be
 * set. Returns 0, or -1 with err set.
 */
int recorder_begin(struct recorder *recorder, struct document_subject *subject, struct err *err);
/* Adds a session that has begun. Returns 0, or -1 with err set. */
int recorder_add(struct recorder *recorder, const struct ktr_session *session,
		 const struct recorded_source *source, struct err *err);
/*
 * The packets of the session that was added last are acknowledged, although the options leave those
 * of all sessions.
 */
void recorder_take_packets(struct recorder *recorder);
/* Names the event after which the session that was added last has frozen its ring. */
void recorder_put_trigger(struct recorder *recorder, const struct ktrace_triggered *seen,
			  const char *condition, const char *name);
/* Names a process that is there when the recording begins. */
void recorder_name_task(struct recorder *recorder, pid_t pid, const char *comm);
/* Removes what was written, if nothing is recorded after all. */
void recorder_abandon(struct recorder *recorder);
void recorder_close(struct recorder *recorder);

/*
 * Writes what there is now. *nr_left: sessions that were not deleted; *has_more: there may be more at
 * once. Returns 0, or -1 with err set; nothing more is written then.
 */
int recorder_pass(struct recorder *recorder, size_t *nr_left, bool *has_more, struct err *err);
/*
 * Writes what the sessions have recorded before the call, and how they ended. why: a clause, such as
 * "the program ended". After a failed write only the latter. Returns 0, or -1 with err set.
 */
int recorder_finish(struct recorder *recorder, const char *why, struct err *err);

/*
 * Ends the recording, while the sessions go on: another recorder gets the packets that this one has
 * not written. Returns 0, or -1 with err set.
 */
int recorder_cut(struct recorder *recorder, const char *why, struct err *err);

/* What was written so far. */
struct recorder_sum {
	uint64_t records, bytes;
	uint64_t ns;		/* since recorder_begin() */
};

struct recorder_sum recorder_sum(const struct recorder *recorder);

#endif
