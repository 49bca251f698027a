/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FOLLOW_H
#define FOLLOW_H

#include "nl/nl.h"
#include "session/names.h"
#include "session/sidecar.h"
#include "session/trace.h"
#include "util/err.h"

/*
 * Keeps up with what the processes of a session load: programs that they execute,
 * and libraries that --nest-lib asks for. They are held in their loader until the
 * functions are probed; what has no loader is probed when it is heard of.
 */
struct follow;

struct follow_options {
	const struct trace *trace;	/* which functions, and how */
	bool does_programs;		/* executed by the session's processes */
	const char *program;		/* the one that is probed already, to be opened so; or NULL */
	const pid_t *pids;		/* processes that run already */
	size_t nr_pids;
	/* What is probed already; either may be NULL. */
	const struct plan *plan;
	const struct sidecar *sidecar;
};

/* Becomes the session's watcher. NULL, with err set: another is, or it cannot be. */
struct follow *follow_create(struct knl *nl, struct knl_session *session, struct names *names,
			     const struct follow_options *options, struct err *err);
void follow_free(struct follow *follow);

/* Answers what has been told by now; to be called whenever the notices' socket is readable. */
void follow_answer(struct follow *follow);

/* How many programs were executed so far, and looked at for functions. */
size_t follow_nr_programs(const struct follow *follow);

/* What was not probed in time or at all, a sentence at a time, to be freed; NULL: no more. */
char *follow_take_remark(struct follow *follow);

#endif
