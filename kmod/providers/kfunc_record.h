/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KFUNC_RECORD_H
#define KT_KFUNC_RECORD_H

#include <linux/types.h>

struct kt_kfunc_call;
struct kt_session;

/*
 * Records a call that returned at now (ticks), after duration ns, in a session with a ring. Context
 * as for kt_kfunc_leave().
 */
void kt_kfunc_record(struct kt_session *session, u32 func, u64 duration, u64 now, long ret,
		     const struct kt_kfunc_call *call);
/* Removes all results except errnos from a copy of a packet of such a session. */
void kt_kfunc_hide_results(void *packet, size_t len);

#endif
