/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORDING_TARGET_H
#define RECORDING_TARGET_H

#include <stdbool.h>
#include <stddef.h>

#include "client/client.h"
#include "cmd/flight.h"
#include "cmd/rotation.h"
#include "cmd/runs.h"
#include "keep/recorder.h"

struct recording_options;

/* A session that belongs to a recording. */
struct recorded {
	struct ktr_session session;
	struct recorded_source source;
	bool has_gate;
};

/* All sessions of a recording, and choice they trace. */
struct recording_content {
	struct document_subject subject;
	const char *comm;	/* of the program; NULL: there is none */
	const struct recorded *sessions;
	size_t nr;
	size_t triggered;	/* index of the session with the trigger; nr or above: none */
};

/*
 * What a recording is written to: one folder, a folder of parts (--rotate) or of runs (--repeat), or
 * snapshots of a flight recorder.
 */
struct recording_target {
	struct ktr *ktr;
	const struct recording_options *options;
	const struct recording_content *content;
	struct recorder *recorder;	/* or NULL */
	struct flight *flight;		/* or NULL */
	struct rotation rotation;
	const struct runs *runs;	/* or NULL */
	long wait_ms;
	bool is_failed;			/* which was reported */
};

/*
 * Creates the folder; changes nothing in one that is there. The options and runs stay. runs: the
 * recording is that of its current run; or NULL. Returns 0, or -1 with err set.
 */
int recording_target_open(struct recording_target *target, struct ktr *ktr,
			  const struct recording_options *options, const struct runs *runs,
			  struct err *err);
/*
 * Replaces a former recording, and begins this one. The content stays. Returns 0, or -1 with err
 * set.
 */
int recording_target_begin(struct recording_target *target, const struct recording_content *content,
			   struct err *err);
/* Removes what was created, if nothing is recorded after all. */
void recording_target_abandon(struct recording_target *target);
void recording_target_close(struct recording_target *target);

/*
 * Called repeatedly: writes what there is. Returns NULL; or why the recording is over, a clause. A
 * write that fails is reported on stderr.
 */
const char *recording_target_look(struct recording_target *target);
/* Returns for how many ms recording_target_look() has nothing to do, unless a notice arrives. */
long recording_target_wait_ms(const struct recording_target *target);

/*
 * Writes the rest of what was recorded, and how it ended. Returns 0; -1 if it failed now or before,
 * which was reported on stderr.
 */
int recording_target_finish(struct recording_target *target, const char *why);
/* Reports on stderr what was written. */
void recording_target_tell_sum(const struct recording_target *target);

#endif
