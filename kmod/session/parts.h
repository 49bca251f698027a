/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SESSION_PARTS_H
#define KT_SESSION_PARTS_H

struct kt_session;
struct kt_session_config;

/*
 * Makes the parts that the configuration needs. After an error, kt_session_put_parts() frees the
 * parts that were made. All functions: process context, may sleep.
 */
int kt_session_make_parts(struct kt_session *session);	/* 0, or -ENOMEM */
/*
 * Frees all parts, but not the configuration: after a failed kt_session_create() the caller still
 * owns its references.
 */
void kt_session_put_parts(struct kt_session *session);

/* Puts the files and folders of FILES. The caller guarantees that no hit uses them any more. */
void kt_session_put_files(struct kt_session_config *config);

#endif
