/* SPDX-License-Identifier: GPL-2.0 */
#ifndef FORMER_H
#define FORMER_H

#include <stdbool.h>

#include "util/err.h"

/*
 * A recording that is in the folder already. Returns 0 if it can be replaced: it has nothing but the
 * files of a recording, and nobody is writing it. Otherwise -1 with err set. Removes nothing.
 */
int former_check(int folder, const char *path, struct err *err);
/* Removes the files that former_check() has found. Returns 0 or a negative errno. */
int former_remove(int folder);
/* Returns true if the folder has the file that each recording begins with. */
bool former_is_there(int folder);

/*
 * The same for a trace of ktrace report --format ctf: folders of sessions, and nothing else. A folder
 * with a recording is refused.
 */
int former_check_trace(int folder, const char *path, struct err *err);
int former_remove_trace(int folder);

#endif
