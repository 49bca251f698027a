/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMPAT_LINUX_USERFAULTFD_K_H
#define KT_COMPAT_LINUX_USERFAULTFD_K_H

#ifdef KT_HAVE_USERFAULTFD
#include_next <linux/userfaultfd_k.h>
#else
#include <linux/mm.h>

static inline bool userfaultfd_armed(struct vm_area_struct *vma)
{
	return false;
}
#endif

#endif
