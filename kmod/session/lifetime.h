/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_LIFETIME_H
#define KT_LIFETIME_H

#include <linux/types.h>

struct kt_session;

void kt_lifetime_init(struct kt_session *session);
/*
 * It is active: once the lifetime of its configuration is over, it is stopped. Again, or without
 * one, nothing happens. Both: of the session's own work, process context, sleep.
 */
void kt_lifetime_begin(struct kt_session *session);
/* It stops, or is stopped, before. */
void kt_lifetime_end(struct kt_session *session);

/* ns until it stops by itself; U64_MAX: it does not, or has stopped. Any context. */
u64 kt_lifetime_left(const struct kt_session *session);

#endif
