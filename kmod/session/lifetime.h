/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_LIFETIME_H
#define KT_LIFETIME_H

struct kt_session;

void kt_lifetime_init(struct kt_session *session);
/*
 * Starts the lifetime of a session, when its first attach begins. Does nothing if the session has
 * no lifetime, or if the lifetime has been started before. The session's work calls this function
 * and the next one, in process context; the next one may sleep.
 */
void kt_lifetime_begin(struct kt_session *session);
/* Cancels the lifetime of a session that stops, or cannot be attached. */
void kt_lifetime_end(struct kt_session *session);

#endif
