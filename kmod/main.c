// SPDX-License-Identifier: GPL-2.0
/* The module is loaded and unloaded. */
#include <linux/init.h>
#include <linux/module.h>
#include <linux/rcupdate.h>

#include "compat/kernel.h"
#include "core/call.h"
#include "core/filter.h"
#include "core/hist.h"
#include "core/provider.h"
#include "core/refill.h"
#include "core/shadow_table.h"
#include "core/stacks.h"
#include "core/table.h"
#include "core/tree.h"
#include "core/unwind_maps.h"
#include "lib/arch.h"
#include "lib/control.h"
#include "lib/pool.h"
#include "lib/ticks.h"
#include "netlink/family.h"
#include "selftest/selftest.h"
#include "session/sessions.h"
#include "session/task.h"
#include "version.h"

/* Stacks return to their pool after RCU; and the last session ended, but a refill was under way. */
static void free_pools(void)
{
	rcu_barrier();
	kt_pool_trim_all(0);
}

static int __init ktrace_init(void)
{
	int error = kt_check_kernel();

	if (error)
		return error;
	kt_arch_init();
	kt_hist_init();
	kt_tree_init();
	kt_table_init();
	kt_stacks_init();
	kt_shadow_init(&kt_call_ends);
	kt_providers_init();
	kt_refill_init();
	kt_unwind_maps_init();
	kt_ticks_init();
	error = kt_control_init();
	if (error)
		goto exit_pools;
	error = kt_selftest();
	if (error)
		goto exit_control;
	error = kt_task_init();
	if (error)
		goto exit_control;
	error = kt_family_init();
	if (error)
		goto exit_task;
	return 0;

exit_task:
	kt_task_exit();
exit_control:
	kt_refill_exit();
	kt_control_exit();
exit_pools:
	kt_ticks_exit();
	free_pools();
	return error;
}

/* A session holds a reference to the module, so there is no session here, and no probe. */
static void __exit ktrace_exit(void)
{
	kt_family_exit();
	kt_task_exit();
	kt_refill_exit();
	kt_session_exit();
	kt_unwind_maps_exit();
	kt_control_exit();
	kt_filter_exit();
	kt_ticks_exit();
	free_pools();
}

module_init(ktrace_init);
module_exit(ktrace_exit);

MODULE_LICENSE("GPL");
MODULE_VERSION(KTRACE_VERSION);
MODULE_DESCRIPTION("ktrace: latency of functions, from the kernel, without BPF");
