/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_THROTTLE_H
#define KT_THROTTLE_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_session;

/* Process context. The session's throttle is made with it, if it has a budget; -ENOMEM. */
int kt_throttle_create(struct kt_session *session);
void kt_throttle_free(struct kt_session *session);
/* From when it is active for the first time, until it is stopped. */
void kt_throttle_begin(struct kt_session *session);
void kt_throttle_end(struct kt_session *session);
/* Is a function out for its cost? */
bool kt_throttle_took_out(const struct kt_session *session, u32 func,
			  struct ktrace_taken_out *taken_out);
/* It was brought back. */
void kt_throttle_forget(const struct kt_session *session, u32 func);

#endif
