/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "session/session.h"

/*
 * Returns a function for session_options that shows progress on one line of the terminal, once
 * placing probes takes more than a second. Returns NULL if standard error is not a terminal.
 */
typedef void progress_fn(const struct session_options *options, const struct ktr_session *session);
progress_fn *progress_choose(void);
/* Shows how much of some work is done, 0 to 1, in the same way. */
void progress_part(const char *what, double part);
/* Removes the line. */
void progress_end(void);

#endif
