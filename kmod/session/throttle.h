/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_THROTTLE_H
#define KT_THROTTLE_H

struct kt_session;

/* Process context. The session's throttle is made with it, if it has a budget; -ENOMEM. */
int kt_throttle_create(struct kt_session *session);
void kt_throttle_free(struct kt_session *session);
/* From when it is active for the first time, until it is stopped. */
void kt_throttle_begin(struct kt_session *session);
void kt_throttle_end(struct kt_session *session);

#endif
