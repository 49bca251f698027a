/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EDIT_H
#define EDIT_H

#include <stddef.h>
#include <stdint.h>

#include "nl/nl.h"
#include "plan/plan.h"
#include "session/session.h"

/* All return 0 or a negative errno, and wait some seconds for changes of other commands. */
typedef int (*edit_fn)(struct knl *nl, uint64_t id, const void *arg);

/* Calls fn again while it returns EBUSY. */
int edit_insist(struct knl *nl, uint64_t id, edit_fn fn, const void *arg);
/* Returns when a change is over, with its error. */
int edit_settle(struct knl *nl, uint64_t id, struct knl_session *session);

/*
 * A change of functions. No other change begins before commit ends; if this process dies
 * before, nothing has changed. New functions get numbers from session->nr_used on.
 */
int edit_begin(struct knl *nl, struct knl_session *session);
int edit_add(struct knl *nl, uint64_t id, const struct plan *plan, uint32_t first);
int edit_list(struct knl *nl, uint64_t id, const uint32_t *funcs, size_t nr, uint32_t flags);
int edit_commit(struct knl *nl, struct knl_session *session, const struct knl_change *change);
void edit_drop(struct knl *nl, struct knl_session *session);

/*
 * A whole change: adds a plan's functions, also to the sidecar of a session with a name.
 * ENOSPC: no room for them. ENODATA: the sidecar is gone, or cannot be written.
 */
int edit_grow(struct knl *nl, const struct plan *plan, struct knl_session *session,
	      uint32_t *first);

/* A sentence for an error of these functions. */
int edit_explain(struct knl *nl, const char *name, int error, struct err *err);

#endif
