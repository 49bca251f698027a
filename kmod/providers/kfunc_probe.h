/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_KFUNC_PROBE_H
#define KT_KFUNC_PROBE_H

#include <linux/types.h>

#include "compat/fprobe.h"

struct kt_kfuncs;

void kt_kprobes_init(struct kt_kfuncs *kfuncs);
/*
 * Probes of entry and return of each function that has no error; what cannot be probed
 * gets one. Again and again; process context, sleep. 0, or an error: then there are none.
 */
int kt_kprobes_attach(struct kt_kfuncs *kfuncs);
void kt_kprobes_detach(struct kt_kfuncs *kfuncs);	/* returns when none of them runs */
/* The same of entries alone, which costs less. */
int kt_kprobes_attach_count(struct kt_kfuncs *kfuncs);
void kt_kprobes_detach_count(struct kt_kfuncs *kfuncs);
/* Calls of any task that the kernel had no means left to probe, as far as it is told. */
u64 kt_kprobes_missed(const struct kt_kfuncs *kfuncs);

/*
 * The two ways of kt_kprobes_*(), as there: kretprobes are those of functions that are to have
 * one each, and come first; a fprobe is that of all others. Between attach and detach they are
 * looked at, not at the same time: what was missed since is counted, and room made for more.
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
