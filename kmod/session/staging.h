/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_STAGING_H
#define KT_STAGING_H

struct kt_session;
struct kt_staged;

/* Drops what was staged and not committed; under kt_control. */
void kt_staging_forget(struct kt_session *session);

/* The session goes. */
void kt_staging_exit(struct kt_session *session);

/* From the session's work: what a commit left to plant. It is staged no more. */
void kt_staging_take(struct kt_session *session, struct kt_staged *staged);
/* What could not be planted of it: its numbers are free again. */
void kt_staging_drop(struct kt_session *session, struct kt_staged *staged);

#endif
