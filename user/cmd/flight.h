/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FLIGHT_H
#define FLIGHT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "cmd/trigger.h"
#include "keep/recorder.h"

/*
 * The flight recorder: sessions whose rings keep the newest records. Nothing is read until a
 * trigger fires, SIGUSR2 arrives, or the recording ends; then all that the rings have is saved as a
 * snapshot, a recording of its own: DIR/0001, DIR/0002, ...
 */
struct flight;

struct flight_options {
	struct recorder_options recorder;
	const struct trigger *trigger;	/* or NULL */
	uint64_t holdoff;		/* ns between two events that fire it */
	uint32_t count;			/* it ends after so many; OPT_NONE: no limit */
};

/* Checks the folder, and creates it; changes nothing in it. Returns NULL with err set. */
struct flight *flight_open(struct ktr *ktr, const struct flight_options *options, struct err *err);
/* Removes the former snapshots. The subject stays until the end. Returns 0, or -1 with err set. */
int flight_begin(struct flight *flight, const struct document_subject *subject, struct err *err);
/* has_trigger: the session has the trigger of the options. */
void flight_add(struct flight *flight, const struct ktr_session *session,
		const struct recorded_source *source, bool has_trigger);
/* Names a process that is there when the recording begins. */
void flight_name_task(struct flight *flight, pid_t pid, const char *comm);
/* Removes the folder if it is new and empty. */
void flight_abandon(struct flight *flight);
void flight_close(struct flight *flight);

/*
 * Called repeatedly: saves a snapshot if there is a reason. Returns 0, or -1 with err set; *why is
 * set, to a clause, if the recording is over.
 */
int flight_look(struct flight *flight, const char **why, struct err *err);
/* Returns for how many ms flight_look() has nothing to do unless a notice or a signal arrives. */
long flight_wait_ms(const struct flight *flight);
/* Saves the last snapshot, when the sessions have stopped. Returns 0, or -1 with err set. */
int flight_finish(struct flight *flight, const char *why, struct err *err);
/* Reports on stderr what was saved. */
void flight_tell_sum(const struct flight *flight);

#endif
