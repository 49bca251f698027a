/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_STAGING_H
#define KT_STAGING_H

struct kt_session;
struct kt_staged;

/* Drops what was staged and not committed. The caller holds kt_control. */
void kt_staging_forget(struct kt_session *session);

/* Frees staged batches when the session is freed. */
void kt_staging_exit(struct kt_session *session);

/* Called by the session's work: moves what a commit has left to plant from life to staged. */
void kt_staging_take(struct kt_session *session, struct kt_staged *staged);
/* Drops the batches that were not planted, and frees the numbers of their functions. */
void kt_staging_drop(struct kt_session *session, struct kt_staged *staged);

#endif
