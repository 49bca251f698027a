/* SPDX-License-Identifier: GPL-2.0 */
/* Callbacks on the last CPU before the machine is suspended, and on the first one after it. */
#ifndef KT_COMPAT_SYSCORE_H
#define KT_COMPAT_SYSCORE_H

#include <linux/syscore_ops.h>

#ifdef KT_HAVE_SYSCORE_CONTEXT
#define KT_ON_SUSPEND(name) int name(void *data)
#define KT_ON_RESUME(name) void name(void *data)
#define KT_SYSCORE(name, on_suspend, on_resume)				\
	const struct syscore_ops name##_ops = { .suspend = on_suspend, .resume = on_resume }; \
	static struct syscore name = { .ops = &name##_ops }
#define kt_register_syscore register_syscore
#define kt_unregister_syscore unregister_syscore
#else
#define KT_ON_SUSPEND(name) int name(void)
#define KT_ON_RESUME(name) void name(void)
#define KT_SYSCORE(name, on_suspend, on_resume)				\
	struct syscore_ops name = { .suspend = on_suspend, .resume = on_resume }
#define kt_register_syscore register_syscore_ops
#define kt_unregister_syscore unregister_syscore_ops
#endif

#endif
