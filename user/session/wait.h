/* SPDX-License-Identifier: GPL-2.0 */
#ifndef WAIT_H
#define WAIT_H

#include "client/client.h"
#include "util/err.h"

/* Waits for a notice of the module, at most 50 ms. */
void session_wait(struct ktr *ktr);

/* Deletes a session and waits until it is gone. Returns 0 or a negative errno. */
int session_delete(struct ktr *ktr, uint64_t id);

/*
 * Set err and return -1: the module refuses the probes with this error, or "what" would exceed the
 * module's memory limit.
 */
int session_explain_probes(struct ktr *ktr, int error, struct err *err);
int session_explain_memory(struct ktr *ktr, const char *what, struct err *err);

#endif
