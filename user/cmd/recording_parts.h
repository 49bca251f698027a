/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORDING_PARTS_H
#define RECORDING_PARTS_H

#include "cmd/left.h"
#include "cmd/recording.h"
#include "cmd/recording_target.h"
#include "cmd/repeat.h"
#include "session/unwinder.h"

/* What the files of a recording share. */
struct recording_state {
	struct recording_options options;
	struct recording_part *parts;
	size_t nr;
	struct recording_choice choice;	/* of all parts */
	struct recording_shared shared;
	struct program program;
	struct recorded *sessions;
	size_t nr_sessions;
	size_t nr_filled;	/* sessions that recording_fill() was called for */
	size_t triggered;	/* the session with the trigger; SIZE_MAX: none */
	const struct recording_part *attaching;
	char comm[17];		/* of the program */
	struct recording_content content;
	struct recording_target target;
	struct unwinder unwinder;	/* opened when a part asks for it */
	bool has_unwinder;
	struct runs runs;	/* with --repeat */
	struct repeat_result repeated;
	struct left left;
	uint64_t end;		/* ns, CLOCK_MONOTONIC */
};

extern struct recording_state *recording;	/* NULL: no command is a part */

/*
 * Attaches the sessions of all parts, begins to write, and starts the program. Returns 0, or with
 * err set the code to end with; then nothing is left of it.
 */
int recording_begin(struct err *err);

/* Sessions with a gate begin and end to count at the same moment. Returns 0 or a negative errno. */
int recording_set_gates(bool is_open);

#endif
