/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHANGE_H
#define CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "plan/plan.h"
#include "util/err.h"
#include "util/match.h"

/* A change of a session's functions, and its outcome. */
struct change {
	const char *name;		/* the session's name */
	struct plan *plan;		/* functions to add unless they are probed; or NULL */
	struct match removed;		/* functions to remove */
	size_t nr_processes;		/* processes that may get copies of text; 0: any number */
	const struct ktr_change *rest;	/* further changes in the same commit, or NULL */
	/* Results: new, added again after a removal, removed, probed before. */
	size_t nr_added, nr_back, nr_removed, nr_there;
};

/*
 * Adds functions to a session and removes functions from it. No other command can change the
 * session meanwhile. On success, session has the new state. Returns 0, or -1 with err set: then,
 * and if this process dies before the commit, the session is unchanged.
 */
int change_functions(struct ktr *ktr, struct ktr_session *session, struct change *change,
		     struct err *err);

#endif
