/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KFUNC_HIT_H
#define KT_KFUNC_HIT_H

#include <linux/types.h>

struct kt_kfunc_call;
struct kt_kfuncs;

/*
 * For the probes. Any context, preemption off. Enter returns 0 if the call is traced:
 * then leave has to be called at its return.
 */
int kt_kfunc_enter(struct kt_kfuncs *kfuncs, u32 func, unsigned long sp,
		   struct kt_kfunc_call *call);
void kt_kfunc_leave(struct kt_kfuncs *kfuncs, u32 func, const struct kt_kfunc_call *call,
		    long ret);
void kt_kfunc_count(struct kt_kfuncs *kfuncs, u32 func);

#endif
