// SPDX-License-Identifier: GPL-2.0
/*
 * What it takes to enter and to leave the kernel: a process makes null calls whose arguments
 * say when it was on its side of them, by the processor's cycles, which both sides read. It
 * stays on one CPU, so that nothing is asked of that clock but to go on. What our own probes
 * take lies between two stamps of theirs, and in neither part.
 *
 *   user                kernel
 *   stamp ------------> enter: stamp ... stamp --> the call's handler --+
 *   stamp <------------- exit: stamp ... stamp <------------------------+
 *
 * Probes of its own, so that those of all other system calls need not ask for null ones.
 */
#include <linux/gfp.h>
#include <linux/mutex.h>
#include <linux/preempt.h>
#include <linux/rculist.h>
#include <linux/sched.h>

#include "arch.h"
#include "compat.h"
#include "figures.h"
#include "filter.h"
#include "hit.h"
#include "mem.h"
#include "session.h"
#include "sysenter.h"
#include "ticks.h"

/* A session, and the call that its process is in, or was last; times in cycles. */
struct measured {
	struct list_head node;
	struct kt_session *session;
	const struct task_struct *task;	/* compared, never followed */
	u64 entered;	/* our probe's end; 0: in no call that counts */
	u64 returned;	/* our other probe's begin ... */
	u64 left;	/* ... and end; 0: what came after is not to be counted */
	u64 spent;	/* in our first probe */
};

static LIST_HEAD(all);		/* changed under all_lock, readers RCU */
static DEFINE_MUTEX(all_lock);	/* guards the probes, too */

/* --- hits ----------------------------------------------------------------- */

/* Arguments are what user space says: they may lie anywhere. */
static u64 between(u64 from, u64 to)
{
	return to > from ? to - from : 0;
}

static void add(struct kt_session_cpu *cpu, u32 func, u64 cycles)
{
	struct kt_hist *hist = kt_figures_hist(cpu, func);

	if (hist && !kt_hist_add(hist, cycles))
		cpu->counters.lost_pool++;
}

/* The call before has ended in user space by then. */
static void close_last(struct measured *measured, struct kt_session_cpu *cpu, u64 after)
{
	u64 own = measured->spent + between(measured->returned, measured->left);

	add(cpu, KTRACE_SYSENTER_EXIT, between(measured->left, after));
	add(cpu, KTRACE_SYSENTER_PROBES, own);
	cpu->counters.hits++;
	if (!kt_ticks_mult)
		return;
	cpu->counters.run_cnt++;
	cpu->counters.run_ns += kt_ticks_to_ns(own);
}

static void enter(struct measured *measured, u64 before, u64 after, u64 now)
{
	struct kt_session_cpu *cpu = this_cpu_ptr(measured->session->cpu);

	if (measured->task == current && measured->left && after)
		close_last(measured, cpu, after);
	measured->task = current;
	measured->left = 0;
	measured->entered = 0;
	if (!before)
		return;
	add(cpu, KTRACE_SYSENTER_ENTRY, between(before, now));
	measured->entered = kt_arch_cycles();
	measured->spent = between(now, measured->entered);
}

static void on_enter(void *data, struct pt_regs *regs, long id)
{
	u64 now = kt_arch_cycles();
	struct measured *measured;
	unsigned long args[6];

	if (id != KT_ARCH_NULL_CALL)
		return;
	kt_syscall_args(regs, args);
	if (args[2] != KTRACE_SYSENTER_MAGIC)
		return;
	kt_hit_refill(GFP_NOWAIT);
	rcu_read_lock_sched();
	list_for_each_entry_rcu(measured, &all, node)
		if (kt_filter_task(measured->session))
			enter(measured, args[0], args[1], now);
	rcu_read_unlock_sched();
}

static void leave(struct measured *measured, u64 now)
{
	add(this_cpu_ptr(measured->session->cpu), KTRACE_SYSENTER_HANDLER,
	    between(measured->entered, now));
	measured->entered = 0;
	measured->returned = now;
	measured->left = kt_arch_cycles();
}

static void on_exit(void *data, struct pt_regs *regs, long ret)
{
	u64 now = kt_arch_cycles();
	struct measured *measured;

	rcu_read_lock_sched();
	list_for_each_entry_rcu(measured, &all, node)
		if (measured->task == current && measured->entered)
			leave(measured, now);
	rcu_read_unlock_sched();
}

/* --- sessions ------------------------------------------------------------- */

static struct kt_tracepoint probes[] = {
	{ "sys_enter", on_enter },
	{ "sys_exit", on_exit },
};

/* The caller holds all_lock. */
static struct measured *find(const struct kt_session *session)
{
	struct measured *measured;

	list_for_each_entry(measured, &all, node)
		if (measured->session == session)
			return measured;
	return NULL;
}

static int begin(struct kt_session *session)
{
	struct measured *measured = kt_mem_alloc(sizeof(*measured));
	int error = 0;

	if (!measured)
		return -ENOMEM;
	measured->session = session;
	kt_hit_refill_slow(GFP_KERNEL);
	if (list_empty(&all))
		error = kt_tracepoints_attach(probes, ARRAY_SIZE(probes));
	if (error)
		kt_mem_free(measured, sizeof(*measured));
	else
		list_add_rcu(&measured->node, &all);
	return error;
}

int kt_sysenter_attach(struct kt_session *session)
{
	int error = 0;

	mutex_lock(&all_lock);
	if (!find(session))
		error = begin(session);
	mutex_unlock(&all_lock);
	return error;
}

void kt_sysenter_detach(struct kt_session *session)
{
	struct measured *measured;

	mutex_lock(&all_lock);
	measured = find(session);
	if (!measured)
		goto unlock;
	list_del_rcu(&measured->node);
	kt_wait_for_hits();
	if (list_empty(&all))
		kt_tracepoints_detach(probes, ARRAY_SIZE(probes));
	kt_mem_free(measured, sizeof(*measured));
unlock:
	mutex_unlock(&all_lock);
}
