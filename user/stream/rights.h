/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RIGHTS_H
#define RIGHTS_H

#include <stdbool.h>

/* What processes do that speak with others on behalf of ktrace. */

/*
 * Changes to the user ktrace, or to ID 65534 if there is no such user, and drops all capabilities for
 * good. keeps_user: keeps the user and the right to write files of any owner. Returns 0, or -1 with
 * errno set.
 */
int rights_drop(bool keeps_user);

/* Ignores signals that end the process they work for, which decides when they end. */
void rights_ignore_ends(void);

/* Closes all files but the standard ones and these two. Returns 0, or -1 if it cannot. */
int rights_close_files(int one, int other);

#endif
