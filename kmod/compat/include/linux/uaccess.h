/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_UACCESS_H
#define KT_COMPAT_LINUX_UACCESS_H

#include_next <linux/uaccess.h>

/* Up to 5.7. */
#ifndef get_kernel_nofault
#define get_kernel_nofault(value, from) probe_kernel_read(&(value), from, sizeof(value))
#endif

#endif
