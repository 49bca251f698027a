/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_LOCKDOWN_H
#define KT_LOCKDOWN_H

#include <linux/types.h>

/*
 * Is the kernel locked down for confidentiality, so that nothing of its memory leaves it? Process
 * context.
 */
bool kt_lockdown_hides(void);
/* Is tracing refused, because the kernel refuses it to others and we were told to do the same? */
bool kt_lockdown_is_on(void);
/* Is this command refused then? Not those that tell of sessions, or take probes away. */
bool kt_lockdown_refuses(u8 cmd);

#endif
