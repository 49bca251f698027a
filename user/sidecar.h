/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SIDECAR_H
#define SIDECAR_H

#include <stdint.h>

#include "err.h"
#include "names.h"
#include "plan.h"

/*
 * What the module does not know of a named session: names of functions, files
 * and build-ids, kept in /run/ktrace/NAME (root only) beside the session's
 * cookie, so that any later command can name what it reads.
 */
int sidecar_write(const char *name, uint64_t cookie, const struct plan *plan,
		  struct err *err);

/*
 * Fills the names of a session with nr_funcs functions. Where the file is missing or of another
 * session, functions have no names, and false is returned.
 */
int sidecar_read(const char *name, uint64_t cookie, uint32_t nr_funcs, struct names *names);

void sidecar_remove(const char *name);

#endif
