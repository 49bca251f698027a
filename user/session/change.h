/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHANGE_H
#define CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"
#include "plan/plan.h"
#include "util/err.h"
#include "util/match.h"

/* A change of a session's functions, and its outcome. */
struct change {
	const char *name;		/* of the session */
	struct plan *plan;		/* functions to add, if they are not there yet; or NULL */
	struct match removed;
	size_t nr_processes;		/* that may get copies of text; 0: any number */
	const struct knl_change *rest;	/* other changes, in the same commit */
	size_t nr_added, nr_back, nr_removed, nr_there;
};

/*
 * Adds and removes functions of a session, excluding other commands; session is its new state.
 * On failure, or when this process dies, nothing has changed. -1 with err set.
 */
int change_functions(struct knl *nl, struct knl_session *session, struct change *change,
		     struct err *err);

#endif
