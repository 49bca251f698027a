/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "client/client.h"
#include "session/names.h"
#include "session/sidecar.h"
#include "session/trace.h"
#include "util/err.h"

/*
 * Probes what the processes of a session load meanwhile: programs that they execute, and libraries
 * that match --nest-lib. A process is held in its loader until the functions are probed. A program
 * without a loader is not held: it is probed when the notice of its exec arrives.
 */
struct follow;

struct follow_options {
	const struct trace *trace;	/* which functions, and how */
	bool does_programs;		/* probe programs that the session's processes execute */
	const char *program;		/* path of the program that is probed already; or NULL */
	const pid_t *pids;		/* processes that run already */
	size_t nr_pids;
	/* These contain what is probed already; either may be NULL. */
	const struct plan *plan;
	const struct sidecar *sidecar;
};

/*
 * Becomes the watcher of the session. Returns NULL with err set if the session has another watcher,
 * or on failure.
 */
struct follow *follow_create(struct ktr *ktr, struct ktr_session *session, struct names *names,
			     const struct follow_options *options, struct err *err);
void follow_free(struct follow *follow);

/* Handles the notices that have arrived. Call it whenever ktr_notice_fd() is readable. */
void follow_answer(struct follow *follow);

/* Returns how many executed programs have been searched for functions so far. */
size_t follow_nr_programs(const struct follow *follow);

/*
 * Returns the next sentence about code that was probed late or not at all, or NULL if there is no
 * other. The caller frees it.
 */
char *follow_take_remark(struct follow *follow);

#endif
