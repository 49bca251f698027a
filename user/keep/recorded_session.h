/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RECORDED_SESSION_H
#define RECORDED_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "client/client.h"
#include "keep/facts_file.h"
#include "keep/packet_files.h"
#include "keep/requests.h"
#include "report/stacks.h"
#include "session/names.h"
#include "session/unwinder.h"

/* What the numbers in a session's records mean. All of it outlives the recording. */
struct recorded_source {
	const struct names *names;	/* grows while programs are followed; or NULL */
	const struct stacks *stacks;	/* grows as well; or NULL */
	const struct unwinder *unwinder;	/* that gives the session tables; or NULL */
	int (*look)(void *arg);		/* reads new stacks; returns 0 or a negative errno */
	void *arg;
	char *const *command;		/* the words of the session's command */
};

/* A session that is recorded: a folder with a CTF trace, and lines of ktrace.jsonl. */
struct recorded_session {
	struct ktr *ktr;
	struct ktr_session session;
	struct recorded_source source;
	size_t index;			/* of the session in the recording */
	char name[32];			/* of its folder */
	struct ktrace_clocks clocks;
	const char *boot;
	struct packet_files packets;
	struct ktr_stream *stream;
	struct requests requests;
	size_t nr_funcs, nr_files;	/* names of functions, and files, that facts have */
	uint32_t nr_stacks;		/* stacks that facts have */
	size_t nr_unwound;		/* files of the unwinder that facts have */
	size_t nr_described;		/* names that metadata have */
	bool leaves_packets;		/* they are not acknowledged */
	bool is_over;			/* no more records will come */
	uint64_t nr_records, nr_bytes;
};

/*
 * Creates the folder and its metadata, and opens the stream. index, session, source, clocks, boot and
 * ktr are set. Returns 0 or a negative errno; *what is then the file that failed, or NULL if the
 * stream did.
 */
int recorded_session_open(struct recorded_session *kept, int recording, const char **what);
void recorded_session_close(struct recorded_session *kept);

/* Adds lines for names that are new. Returns 0 or a negative errno. */
int recorded_session_look(struct recorded_session *kept, struct facts_file *facts);
/* Writes metadata again if names were added. Returns 0 or a negative errno. */
int recorded_session_describe(struct recorded_session *kept);

/*
 * Writes and acknowledges the packets that there are, at most `most`. does_flush: also those that
 * are not full. Returns how many it was, or a negative errno; *is_unwritten: of a write.
 */
int recorded_session_pass(struct recorded_session *kept, struct facts_file *facts, int most,
			  bool does_flush, bool *is_unwritten);

#endif
