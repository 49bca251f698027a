/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_REMOVE_H
#define KT_COMPAT_REMOVE_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/types.h>

#include "compat/fprobe.h"

/*
 * The end of probes of kernel functions: unregister, check, wait, free. The owner first takes away
 * the data of their handlers, which then do nothing. If the kernel fails to unregister a probe, it
 * may still call the probe. So the probe is never freed, and the module stays loaded.
 */

/*
 * These return true if the probe is out: none of its handlers runs, and it may be freed. Process
 * context, sleep.
 */
bool kt_ftrace_ops_remove(struct ftrace_ops *ops);
#if KT_HAS_FPROBE
struct fprobe;
bool kt_fprobe_remove(struct fprobe *fprobe);
#endif

/* The same for several; afterwards, kt_kretprobe_is_out() shows the result for each. */
void kt_kretprobes_remove(struct kretprobe **kretprobes, u32 nr);

static inline bool kt_kretprobe_is_out(const struct kretprobe *kretprobe)
{
	/* The kernel reports nothing else, and reports this in every version. */
	return kretprobe->kp.addr;
}

#endif
