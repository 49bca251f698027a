/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_STRING_H
#define KT_COMPAT_LINUX_STRING_H

#include_next <linux/string.h>

/* up to 4.2, and RHEL 7.4; what is copied from ends, and nobody asks whether it was cut */
#ifndef KT_HAVE_STRSCPY
#define strscpy(to, from, len) strlcpy(to, from, len)
#endif

#endif
