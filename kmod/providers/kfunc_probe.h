/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KFUNC_PROBE_H
#define KT_KFUNC_PROBE_H

#include <linux/types.h>

#include "compat/fprobe.h"

struct kt_kfuncs;

void kt_kprobes_init(struct kt_kfuncs *kfuncs);
/*
 * Plants probes at entry and return of each function that has no error. A function that cannot be
 * probed gets an error. May be called repeatedly. Process context, may sleep. Returns 0 or a
 * negative errno: then nothing is probed.
 */
int kt_kprobes_attach(struct kt_kfuncs *kfuncs);
void kt_kprobes_detach(struct kt_kfuncs *kfuncs);	/* returns when no probe runs any more */
/* The same for entries only, which costs less. */
int kt_kprobes_attach_count(struct kt_kfuncs *kfuncs);
void kt_kprobes_detach_count(struct kt_kfuncs *kfuncs);
/* Returns the calls of any task that the kernel failed to observe, as counted so far. */
u64 kt_kprobes_missed(const struct kt_kfuncs *kfuncs);
/*
 * Calls count from now on: calls that were missed before do not count. Then calls cease to count:
 * calls that are missed later do not count. Process context, sleep.
 */
void kt_kprobes_begin_missed(struct kt_kfuncs *kfuncs);
void kt_kprobes_end_missed(struct kt_kfuncs *kfuncs);

/*
 * The two parts of kt_kprobes_attach() and kt_kprobes_detach(). Kretprobes, which some functions
 * have, are attached first. One fprobe serves all other functions. The look functions are called
 * between attach and detach, never in parallel to them: they count the calls that were missed since
 * the last look, and make room for more open calls.
 */
int kt_kretprobes_attach(struct kt_kfuncs *kfuncs);
void kt_kretprobes_detach(struct kt_kfuncs *kfuncs);
void kt_kretprobes_look(struct kt_kfuncs *kfuncs);

#if KT_HAS_FPROBE
int kt_fprobes_attach(struct kt_kfuncs *kfuncs);
void kt_fprobes_detach(struct kt_kfuncs *kfuncs);
void kt_fprobes_look(struct kt_kfuncs *kfuncs);
#else
static inline int kt_fprobes_attach(struct kt_kfuncs *kfuncs)
{
	return 0;
}

static inline void kt_fprobes_detach(struct kt_kfuncs *kfuncs)
{
}

static inline void kt_fprobes_look(struct kt_kfuncs *kfuncs)
{
}
#endif

#endif
