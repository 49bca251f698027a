/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORDING_H
#define RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "cmd/flight.h"
#include "cmd/recording_choice.h"
#include "cmd/rotation.h"
#include "keep/recorder.h"
#include "session/session.h"
#include "system/program.h"

/*
 * `ktrace record` runs the commands on its line, one inside the other: each parses its options as
 * always, and calls recording_add() where it would begin to trace. The innermost call attaches the
 * sessions of all parts, records them together, and returns.
 */

/* What all parts share while they record. */
struct recording_shared {
	struct ktr *ktr;
	struct program *program;	/* forked, and held before its exec; or NULL */
	const int32_t *pids;		/* its pid, or those of -p */
	size_t nr_pids;
	bool has_gates;			/* sessions of kernel providers wait for one gate */
	bool has_entries;		/* calls of user functions have a record at their entry, too */
};

#define RECORDING_SESSIONS 8	/* of one command */

/* What a command adds to a recording. */
struct recording_part {
	struct recording_choice choice;
	size_t nr_gates;		/* its sessions that can wait for a gate */
	struct trigger_source sources[RECORDING_SESSIONS];	/* of its sessions, in their order */
	size_t nr_sources;
	/* Attaches the sessions, each with recording_attached(). Returns 0, or -1 with err set. */
	int (*attach)(void *arg, const struct recording_shared *shared, struct err *err);
	/* Called repeatedly while it records; may be NULL. */
	void (*look)(void *arg);
	/* Called when the sessions have stopped, and reports what was not as chosen; may be NULL.
	 * Returns CMD_OK or another code to end with. */
	int (*end)(void *arg);
	void *arg;
};

/* Is this command a part of a recording? */
bool recording_is_on(void);

/* Adds the command, runs the others, and records. Returns what the command returns. */
int recording_add(const struct recording_part *part);

/*
 * In attach(): sets what the recording chooses for each of its sessions, just before the session is
 * made.
 */
void recording_fill(struct session_options *options);

/*
 * In attach(): a session was attached, which belongs to the recording from now on. What the source
 * points to stays until the part's end().
 */
void recording_attached(const struct ktr_session *session, const struct recorded_source *source,
			bool has_gate);

/*
 * In attach(): finds stacks of programs by tables, for all parts. Returns NULL if the module cannot.
 */
struct unwinder *recording_unwinder(void);

/* In attach(): the words of the part's command, from its name on, without the program. */
char *const *recording_words(void);

/* --- for cmd_record.c ------------------------------------------------------------- */

struct recording_options {
	struct recorder_options recorder;
	bool has_entries;
	bool is_flight;		/* sessions keep the newest records, which are saved as snapshots */
	struct rotation_options rotation;
	unsigned int nr_runs;	/* of the program, each a recording of its own; 0: one, without */
	struct trigger *trigger;	/* or NULL */
	uint64_t holdoff;	/* ns; both as in struct flight_options */
	uint32_t count;
	char *const *words;	/* of the whole command */
	char **program;		/* or NULL */
	/* Runs a part, and returns what its command returns. */
	int (*run)(void *arg, size_t part);
	char *const *(*words_of)(void *arg, size_t part);
	size_t nr_parts;
	void *arg;
};

/* Runs all parts. Returns the exit code; ends like the program if all went well. */
int recording_run(const struct recording_options *options);

#endif
