/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SESSION_PARTS_H
#define KT_SESSION_PARTS_H

struct kt_session;
struct kt_session_config;

/* By its configuration; some may be there when it fails. Process context, sleep; below, too. */
int kt_session_make_parts(struct kt_session *session);	/* 0, or -ENOMEM */
/* All but the configuration, whose references a failed create leaves to the caller. */
void kt_session_put_parts(struct kt_session *session);

/* Those whose requests it wanted: no hit asks for them any more. */
void kt_session_put_files(struct kt_session_config *config);

#endif
