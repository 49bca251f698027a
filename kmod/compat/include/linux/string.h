/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_STRING_H
#define KT_COMPAT_LINUX_STRING_H

#include_next <linux/string.h>

/* Up to 4.2, and in RHEL 7.4. Sources are terminated, and no caller uses the result. */
#ifndef KT_HAVE_STRSCPY
#define strscpy(to, from, len) strlcpy(to, from, len)
#endif

#endif
