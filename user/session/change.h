/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CHANGE_H
#define CHANGE_H

#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"
#include "plan/plan.h"
#include "util/err.h"
#include "util/match.h"

/* What is to become of a session's functions, and what became of them. */
struct change {
	const char *name;		/* of the session */
	struct plan *plan;		/* to be added as far as they are not there; or NULL */
	struct match removed;
	size_t nr_processes;		/* that get copies of text; 0: as many as need be */
	const struct knl_change *rest;	/* happens at once with it */
	size_t nr_added, nr_back, nr_removed, nr_there;
};

/*
 * Adds and removes functions of a session, alone in doing so; session says how it ended up.
 * On failure, or when this process dies, nothing has changed. -1 with err set.
 */
int change_functions(struct knl *nl, struct knl_session *session, struct change *change,
		     struct err *err);

#endif
