/* SPDX-License-Identifier: GPL-2.0 */
#ifndef NAMED_H
#define NAMED_H

#include "client/client.h"
#include "util/err.h"

/* Checks that a session can have this name. Returns 0, or -1 with err set. */
int named_check(const char *name, struct err *err);

/* Finds a session by its name. Returns 0, or -1 with err set, which suggests the nearest name. */
int named_find(struct ktr *ktr, const char *name, struct ktr_session *session,
	       struct err *err);

#endif
