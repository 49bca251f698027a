/* SPDX-License-Identifier: GPL-2.0 */
#ifndef EDIT_H
#define EDIT_H

#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "plan/plan.h"
#include "session/session.h"

/*
 * All functions return 0 or a negative errno. They wait some seconds while another command
 * changes the session.
 */
typedef int (*edit_fn)(struct ktr *ktr, uint64_t id, const void *arg);

/* Calls fn again while it returns -EBUSY. */
int edit_insist(struct ktr *ktr, uint64_t id, edit_fn fn, const void *arg);
/* Waits until a change has ended, and returns its error. session receives the new state. */
int edit_settle(struct ktr *ktr, uint64_t id, struct ktr_session *session);

/*
 * A change of functions: begin, add and list (remove), then commit. Until commit returns, no other
 * command can begin a change; if this process dies before, the session is unchanged. New functions
 * get the numbers from session->nr_used on.
 */
int edit_begin(struct ktr *ktr, struct ktr_session *session);
int edit_add(struct ktr *ktr, uint64_t id, const struct plan *plan, uint32_t first);
int edit_list(struct ktr *ktr, uint64_t id, const uint32_t *funcs, size_t nr, uint32_t flags);
int edit_commit(struct ktr *ktr, struct ktr_session *session, const struct ktr_change *change);

/* Changes what is not a function, without a commit. */
int edit_rest(struct ktr *ktr, uint64_t id, const struct ktr_change *change);

/*
 * Makes a whole change: adds the functions of a plan to the session and, if the session has a
 * name, to its sidecar. first becomes the number of the plan's first function. Returns -ENOSPC if
 * the session has no room for the functions, -ENODATA if the sidecar is missing or cannot be
 * written.
 */
int edit_grow(struct ktr *ktr, const struct plan *plan, struct ktr_session *session,
	      uint32_t *first);

/* Sets err to a sentence for an error of these functions. Returns -1. */
int edit_explain(struct ktr *ktr, const char *name, int error, struct err *err);

#endif
