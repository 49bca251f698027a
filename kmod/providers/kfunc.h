/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KFUNC_H
#define KT_KFUNC_H

#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct kt_provider;
struct kt_session;

/* A function of the kernel, in a session that traces some. */
struct kt_kfunc {
	struct list_head node;
	u32 func;
	unsigned long addr;	/* of its first byte, as told; 0: not told */
	void *probe;		/* of this function alone, if kernels have such; else NULL */
	size_t len;
	char name[];		/* function, or module:function */
};

/* All of a session. */
struct kt_kfuncs {
	struct kt_session *session;
	struct list_head list;	/* of kt_kfunc; grows until the commit, under kt_control */
	u32 nr;
	bool is_tree;		/* callers are told apart */
	bool is_open;		/* all probes are in, and none goes yet: calls count */
	bool is_timed;		/* open; at an entry it wants the time alone ... */
	bool is_plain;		/* ... and at a return figures of the function alone */
	u32 nr_wanted;		/* of histograms, that the pools are told of */
	u64 missed;		/* calls that the kernel had no means to probe */
	void *probe;		/* of all of them, if kernels have such; else NULL */
	struct delayed_work look_work;
};

/* What is kept of a call from its entry to its return, by the kernel. */
struct kt_kfunc_call {
	u64 start;		/* ticks */
	union {
		unsigned long sp;
		u64 stack;	/* of a session with KTRACE_SINK_STACKS: as kt_frames.key, or 0 */
	};
};

extern const struct kt_provider kt_kfunc_provider;

/*
 * kfunc_hit.c, of the probes; any context, preemption off. A call that is entered is
 * wanted if that returns 0; then its return is to be told of.
 */
int kt_kfunc_enter(struct kt_kfuncs *kfuncs, u32 func, unsigned long sp,
		   struct kt_kfunc_call *call);
void kt_kfunc_leave(struct kt_kfuncs *kfuncs, u32 func, const struct kt_kfunc_call *call,
		    long ret);
void kt_kfunc_count(struct kt_kfuncs *kfuncs, u32 func);

#define KT_MAX_ERRNO 4095	/* the kernel's own, beyond errno's, among them */

/* An int has no sign in the upper half of the register. */
static inline bool kt_kfunc_is_error(long ret)
{
	return unlikely((u32)ret >= (u32)-KT_MAX_ERRNO) && (ret >> 32 == 0 || ret >> 32 == -1);
}

/* kfunc_record.c: of a session with a ring, a call that returned. As kt_kfunc_leave(). */
void kt_kfunc_record(struct kt_session *session, u32 func, u64 duration, long ret,
		     const struct kt_kfunc_call *call);
/* A copy of a packet of such a session: leaves no results but errnos in it. */
void kt_kfunc_hide_results(void *packet, size_t len);

#endif
