/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KFUNC_PARTS_H
#define KT_KFUNC_PARTS_H

#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

struct kt_session;

/* A traced kernel function of a session. */
struct kt_kfunc {
	struct list_head node;
	u32 func;
	unsigned long addr;	/* of the first byte, from user space; 0: not given */
	void *probe;		/* kretprobe of this function; NULL: it has none of its own */
	size_t len;		/* of this struct, with the name */
	char name[];		/* function, or module:function */
};

/* All traced kernel functions of a session. */
struct kt_kfuncs {
	struct kt_session *session;
	struct list_head list;	/* of kt_kfunc; grows until the commit, under kt_control */
	u32 nr;
	bool is_tree;		/* calls are nodes of a tree of calls, not of stacks */
	bool is_open;		/* all probes are planted, and stay: calls count */
	bool is_timed;		/* open, and an entry needs only the time ... */
	bool is_plain;		/* ... open, and a return counts only in the function's figures */
	u32 nr_wanted;		/* histograms that kt_hist_want() was called for */
	u64 missed;		/* calls that the kernel failed to observe */
	u64 missed_at_end;	/* if has_end: up to the end of the gate */
	bool has_end;
	void *probe;		/* fprobe or ftrace client of all other functions; or NULL */
	struct delayed_work look_work;
};

/* Data that the kernel keeps for a call, from its entry to its return. */
struct kt_kfunc_call {
	u64 start;		/* ticks */
	union {
		unsigned long sp;
		u64 stack;	/* with KTRACE_SINK_STACKS: kt_frames.key; 0: no stack */
	};
};

#define KT_MAX_ERRNO 4095	/* includes errnos that only the kernel itself uses */

/* The upper half of the register is the sign of a long, or 0 after a function that returns int. */
static inline bool kt_kfunc_is_error(long ret)
{
	return unlikely((u32)ret >= (u32)-KT_MAX_ERRNO) && (ret >> 32 == 0 || ret >> 32 == -1);
}

#endif
