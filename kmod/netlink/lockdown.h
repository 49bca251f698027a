/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_LOCKDOWN_H
#define KT_LOCKDOWN_H

#include <linux/types.h>

/*
 * Returns whether the kernel is locked down for confidentiality, so that results of its functions
 * must be hidden. Process context, as the other functions.
 */
bool kt_lockdown_hides(void);
/* Returns whether lockdown and the parameter respect_lockdown forbid tracing. */
bool kt_lockdown_is_on(void);
/*
 * Returns whether lockdown forbids this command. Commands that only describe sessions or remove
 * probes are always allowed.
 */
bool kt_lockdown_refuses(u8 cmd);

#endif
