/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LOCKDOWN_H
#define KT_COMPAT_LOCKDOWN_H

#include <linux/security.h>
#include <linux/types.h>

/* Does the lockdown of this kernel forbid tracing? If so, the kernel logs the refusal as usual. */
static inline bool kt_kernel_hides(void)
{
#ifdef KT_HAVE_LOCKED_DOWN
	return security_locked_down(LOCKDOWN_TRACEFS);
#elif defined(CONFIG_SECURITY_LOCKDOWN_LSM)
#error "ktrace: security_locked_down() of this kernel is not the one that ktrace knows"
#else
	return false;
#endif
}

#endif
