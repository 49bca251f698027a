/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SYSENTER_H
#define KT_SYSENTER_H

struct kt_peers;
struct kt_session;

extern struct kt_peers kt_sysenter_peers;	/* each splits null calls of its process */
void kt_sysenter_put(struct kt_session *session);	/* of one that goes */

#endif
