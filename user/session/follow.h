/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "nl/nl.h"
#include "session/names.h"
#include "session/sidecar.h"
#include "session/trace.h"
#include "util/err.h"

/*
 * Follows what the processes of a session load: programs that they execute,
 * and libraries that match --nest-lib. They are held in their loader until the
 * functions are probed; a program without a loader is probed when its notice comes.
 */
struct follow;

struct follow_options {
	const struct trace *trace;	/* which functions, and how */
	bool does_programs;		/* executed by the session's processes */
	const char *program;		/* path of the one that is probed already; or NULL */
	const pid_t *pids;		/* processes that run already */
	size_t nr_pids;
	/* Probed already; either may be NULL. */
	const struct plan *plan;
	const struct sidecar *sidecar;
};

/* Becomes the session's watcher. NULL with err set: there is another one, or it failed. */
struct follow *follow_create(struct knl *nl, struct knl_session *session, struct names *names,
			     const struct follow_options *options, struct err *err);
void follow_free(struct follow *follow);

/* Handles the notices that arrived; to be called whenever their socket is readable. */
void follow_answer(struct follow *follow);

/* How many executed programs were searched for functions so far. */
size_t follow_nr_programs(const struct follow *follow);

/* The next sentence about code that was probed late or not at all; to be freed; NULL: no more. */
char *follow_take_remark(struct follow *follow);

#endif
