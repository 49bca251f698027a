/* SPDX-License-Identifier: GPL-2.0 */
/* Which of its stacks a task runs on. */
#ifndef KT_SHADOW_LOCAL_H
#define KT_SHADOW_LOCAL_H

#include <linux/sched.h>
#include <linux/types.h>

#include "core/shadow.h"

/* Does the order of addresses prove anything at sp? */
bool kt_shadow_is_on_home(struct kt_shadow *stack, unsigned long sp);
/*
 * func is entered at sp. Is sp on a stack in a local variable of an open call? The entry may be the
 * first sign of such a stack.
 */
bool kt_shadow_find_local(struct kt_shadow *stack, u32 func, unsigned long sp);

/* Is sp on the stack that the program gave to its signal handlers (sigaltstack)? */
static inline bool kt_shadow_is_on_signal_stack(const struct kt_shadow *stack, unsigned long sp)
{
	return sp - current->sas_ss_sp < current->sas_ss_size && !kt_shadow_is_kernels(stack);
}

#endif
