/* SPDX-License-Identifier: GPL-2.0 */
#ifndef PROGRESS_H
#define PROGRESS_H

#include "session/session.h"

/*
 * For session_options: a line on a terminal once placing the probes takes more than a second, written
 * again and again. NULL: standard error is no terminal.
 */
typedef void progress_fn(const struct session_options *options, const struct knl_session *session);
progress_fn *progress_choose(void);
/* Removes the line. */
void progress_end(void);

#endif
