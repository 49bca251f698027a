/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WAIT_H
#define WAIT_H

#include "nl/nl.h"
#include "util/err.h"

/* Waits until the module has news, or a moment. */
void session_wait(struct knl *nl);

/* Ends a session, and returns when it is gone. 0 or a negative errno. */
int session_delete(struct knl *nl, uint64_t id);

/* Sets err: functions are refused, or what would exceed the module's memory. Returns -1. */
int session_explain_probes(struct knl *nl, int error, struct err *err);
int session_explain_memory(struct knl *nl, const char *what, struct err *err);

#endif
