/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_PERCPU_H
#define KT_COMPAT_LINUX_PERCPU_H

#include_next <linux/percpu.h>

/* up to 3.14 */
#ifndef raw_cpu_ptr
#define raw_cpu_ptr __this_cpu_ptr
#endif

#endif
