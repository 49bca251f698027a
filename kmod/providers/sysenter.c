// SPDX-License-Identifier: GPL-2.0
/*
 * The time to enter and to leave the kernel. A process makes null calls. The arguments of a call
 * contain time stamps that the process took in user space, in cycles of the processor; the probes
 * take time stamps of the same clock. The process stays on one CPU, so the clock only needs to
 * advance. The time of the probes themselves lies between two of their stamps, and is part of
 * neither result.
 *
 *   user                kernel
 *   stamp ------------> enter: stamp ... stamp --> the call's handler --+
 *   stamp <------------- exit: stamp ... stamp <------------------------+
 *
 * This provider has probes of its own, so that the probes of other system calls need not check for
 * null calls.
 */
#include <linux/gfp.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <trace/events/syscalls.h>

#include "compat/syscall_args.h"
#include "compat/tracepoint.h"
#include "core/figures.h"
#include "core/filter.h"
#include "core/hit.h"
#include "core/provider.h"
#include "core/refill.h"
#include "core/session.h"
#include "lib/arch.h"
#include "lib/mem.h"
#include "lib/ticks.h"
#include "providers/peers.h"
#include "providers/providers.h"

static KT_PEERS(sysenter_peers);

/* The current, or else the last null call in a session. Times are in cycles. */
struct measured {
	const struct task_struct *task;	/* compared, never followed */
	u64 entered;	/* end of the probe at sys_enter; 0: in no call that counts */
	u64 returned;	/* begin of the probe at sys_exit ... */
	u64 left;	/* ... and its end; 0: the exit of this call does not count */
	u64 spent;	/* duration of the probe at sys_enter */
};

/* --- hits ----------------------------------------------------------------- */

/* Stamps of user space are arbitrary numbers: a negative difference counts as 0. */
static u64 sysenter_between(u64 from, u64 to)
{
	return to > from ? to - from : 0;
}

static void sysenter_add(struct kt_session_cpu *cpu, u32 func, u64 cycles)
{
	struct kt_hist *hist = kt_figures_hist(cpu, func);

	if (hist && !kt_hist_add(hist, cycles))
		cpu->counters.lost_pool++;
}

/* The previous call has returned to user space at the time after. */
static void sysenter_close_last(struct measured *measured, struct kt_session_cpu *cpu, u64 after)
{
	u64 own = measured->spent + sysenter_between(measured->returned, measured->left);

	sysenter_add(cpu, KTRACE_SYSENTER_EXIT, sysenter_between(measured->left, after));
	sysenter_add(cpu, KTRACE_SYSENTER_PROBES, own);
	cpu->counters.hits++;
	if (!kt_ticks_are_cycles)
		return;
	cpu->counters.run_cnt++;
	cpu->counters.run_ns += kt_ticks_to_ns(own);
}

static void sysenter_enter(struct kt_session *session, u64 before, u64 after, u64 now)
{
	struct kt_session_cpu *cpu = this_cpu_ptr(session->hot.cpu);
	struct measured *measured = session->source;

	if (measured->task == current && measured->left && after)
		sysenter_close_last(measured, cpu, after);
	measured->task = current;
	measured->left = 0;
	measured->entered = 0;
	if (!before)
		return;
	sysenter_add(cpu, KTRACE_SYSENTER_ENTRY, sysenter_between(before, now));
	measured->entered = kt_arch_cycles();
	measured->spent = sysenter_between(now, measured->entered);
}

static void sysenter_on_enter(void *data, struct pt_regs *regs, long id)
{
	u64 now = kt_arch_cycles();
	struct kt_session *session;
	unsigned long args[6];

	if (id != KT_ARCH_NULL_CALL)
		return;
	kt_syscall_args(regs, args);
	if (args[2] != KTRACE_SYSENTER_MAGIC)
		return;
	kt_refill(GFP_NOWAIT);
	rcu_read_lock_sched();
	kt_peers_each(session, &sysenter_peers)
		if (kt_filter_task(session))
			sysenter_enter(session, args[0], args[1], now);
	rcu_read_unlock_sched();
}

static void sysenter_leave(struct kt_session *session, u64 now)
{
	struct measured *measured = session->source;

	if (measured->task != current || !measured->entered)
		return;
	sysenter_add(this_cpu_ptr(session->hot.cpu), KTRACE_SYSENTER_HANDLER,
		     sysenter_between(measured->entered, now));
	measured->entered = 0;
	measured->returned = now;
	measured->left = kt_arch_cycles();
}

static void sysenter_on_exit(void *data, struct pt_regs *regs, long ret)
{
	u64 now = kt_arch_cycles();
	struct kt_session *session;

	rcu_read_lock_sched();
	kt_peers_each(session, &sysenter_peers)
		sysenter_leave(session, now);
	rcu_read_unlock_sched();
}

/* --- sessions ------------------------------------------------------------- */

static struct kt_tracepoint probes[] = {
	KT_TRACEPOINT(sys_enter, sysenter_on_enter),
	KT_TRACEPOINT(sys_exit, sysenter_on_exit),
};

static int sysenter_begin(struct kt_session *session)
{
	struct measured *measured = session->source ? : kt_mem_alloc(sizeof(*measured));

	if (!measured)
		return -ENOMEM;
	session->source = measured;
	measured->entered = 0;
	measured->left = 0;
	kt_refill_all(GFP_KERNEL);
	return kt_peers_are_none(&sysenter_peers) ?
		kt_tracepoints_attach(probes, ARRAY_SIZE(probes)) : 0;
}

static void sysenter_end(struct kt_session *session)
{
	if (kt_peers_are_none(&sysenter_peers))
		kt_tracepoints_detach(probes, ARRAY_SIZE(probes));
}

static void sysenter_put(struct kt_session *session)
{
	kt_mem_free(session->source, sizeof(struct measured));
}

static const struct kt_columns sysenter_columns = {
	.own = { KTRACE_KEY_STAGE }, .values = KT_FIGURES_OF_CALLS,
};

const struct kt_provider kt_sysenter_provider = {
	.number = KTRACE_PROVIDER_SYSENTER,
	.sinks = KTRACE_SINK_HIST,
	.columns = &sysenter_columns,
	.nr_funcs = KTRACE_NR_SYSENTER,
	.needs_pids = true,
	.peers = &sysenter_peers,
	.attach = sysenter_begin,
	.detach = sysenter_end,
	.put = sysenter_put,
};
