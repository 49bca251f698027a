/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_REMOVE_H
#define KT_COMPAT_REMOVE_H

#include <linux/ftrace.h>
#include <linux/kprobes.h>
#include <linux/types.h>

#include "compat/fprobe.h"

/*
 * The end of probes of kernel functions: unregister, check, wait, free. The owner first takes
 * away what their handlers work on, which do nothing then. What the kernel failed to unregister
 * it may still call: that is never freed, and the module stays with it.
 */

/* Process context, sleep. True: it is out, none of its handlers runs, and it may be freed. */
bool kt_ftrace_ops_remove(struct ftrace_ops *ops);
#if KT_HAS_FPROBE
struct fprobe;
bool kt_fprobe_remove(struct fprobe *fprobe);
#endif

/* The same for several, each of which is asked afterwards whether it is out. */
void kt_kretprobes_remove(struct kretprobe **kretprobes, u32 nr);

static inline bool kt_kretprobe_is_out(const struct kretprobe *kretprobe)
{
	/* That is all that the kernel says, and it says so in every version. */
	return kretprobe->kp.addr;
}

#endif
