/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TAKEN_OUT_H
#define KT_TAKEN_OUT_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_session;

/* One note per function, if the session has a budget. 0, or -ENOMEM. Process context. */
int kt_taken_out_create(struct kt_session *session);
void kt_taken_out_free(struct kt_session *session);

/* Any context; the last two also for a session without a budget. */
void kt_taken_out_set(struct kt_session *session, u32 func, const struct ktrace_taken_out *note);
/* The function comes back, or did not leave. */
void kt_taken_out_forget(const struct kt_session *session, u32 func);
/* Copies the note. Returns false if the function was not removed for its cost. */
bool kt_taken_out_get(const struct kt_session *session, u32 func, struct ktrace_taken_out *note);

#endif
