/* SPDX-License-Identifier: GPL-2.0 */
/* Arguments and result of handle_mm_fault(), as a probe sees them. */
#ifndef KT_COMPAT_FAULT_H
#define KT_COMPAT_FAULT_H

#include <linux/mm.h>
#include <linux/mm_types.h>

#ifdef KT_HAVE_FAULT_MM
#define KT_FAULT_FLAGS 3	/* the argument that has FAULT_FLAG_* */
#else
#define KT_FAULT_FLAGS 2
#endif

/* bit is a VM_FAULT_* of the result, which has a type of its own since 4.17. */
#define KT_FAULT_BIT(bit) ((__force unsigned long)(bit))

static inline bool kt_fault_is_of_user(const unsigned long *args)
{
	return args[KT_FAULT_FLAGS] & FAULT_FLAG_USER;
}

#endif
