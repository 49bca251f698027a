/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSENTER_H
#define KT_SYSENTER_H

struct kt_session;

/*
 * As of other providers (provider.h): null calls of the session's process are split. Both
 * again and again; process context, sleep. 0, or a negative errno.
 */
int kt_sysenter_attach(struct kt_session *session);
void kt_sysenter_detach(struct kt_session *session);
void kt_sysenter_put(struct kt_session *session);	/* of one that goes */

#endif
