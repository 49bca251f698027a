/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_THROTTLE_H
#define KT_THROTTLE_H

struct kt_session;

/* Process context. Makes a throttle if the session has a budget. Returns 0 or -ENOMEM. */
int kt_throttle_create(struct kt_session *session);
void kt_throttle_free(struct kt_session *session);
/* Called when the first attach begins, and when the session ends. A second begin does nothing. */
void kt_throttle_begin(struct kt_session *session);
void kt_throttle_end(struct kt_session *session);

#endif
