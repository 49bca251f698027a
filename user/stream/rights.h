/* SPDX-License-Identifier: GPL-2.0 */
#ifndef RIGHTS_H
#define RIGHTS_H

#include "stream/seccomp.h"

/* Rights of the processes of a stream. */

/*
 * Changes to the user ktrace, or to ID 65534 if there is no such user; drops all capabilities, and
 * all system calls but those of the kind, for good. SECCOMP_FILE keeps its user, and root the right
 * to write files of any owner. A process of another user than root keeps its user. Returns 0, or -1
 * with errno set.
 */
int rights_drop(enum seccomp_kind kind);

/*
 * Drops all system calls that neither a reader of the ring nor its senders need, for good. It can
 * still fork senders. Returns 0, or -1 with errno set.
 */
int rights_confine_reader(void);

/* Ignores signals that end the process they work for, which decides when they end. */
void rights_ignore_ends(void);

/* Closes all files but the standard ones and these two. Returns 0, or -1 if it cannot. */
int rights_close_files(int one, int other);

#endif
