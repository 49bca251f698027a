/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TAKEN_OUT_H
#define KT_TAKEN_OUT_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_session;

/* Makes one note per function if the session has a budget. 0 or -ENOMEM. Process context. */
int kt_taken_out_create(struct kt_session *session);
void kt_taken_out_free(struct kt_session *session);

/* Any context. kt_taken_out_set() needs a session with a budget; the other two do not. */
void kt_taken_out_set(struct kt_session *session, u32 func, const struct ktrace_taken_out *note);
/* Clears the note of a function that returns, or was not removed. */
void kt_taken_out_forget(const struct kt_session *session, u32 func);
/* Copies the note. Returns false if the function was not removed for its cost. */
bool kt_taken_out_get(const struct kt_session *session, u32 func, struct ktrace_taken_out *note);

#endif
