/* SPDX-License-Identifier: GPL-2.0 */
/* The figures of ktrace top in the module that plays: samples, system calls and disk requests. */
#ifndef LIVE_H
#define LIVE_H

#include <stdbool.h>
#include <stdint.h>

#include "client/client.h"

/* Passes the rows on. Returns false if the provider has none here. */
bool live_rows(uint32_t provider, ktr_row_fn fn, void *arg);
/* Sets the counters of such a session. */
void live_fill(struct ktr_session *session);

#endif
