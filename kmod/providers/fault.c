// SPDX-License-Identifier: GPL-2.0
/*
 * Page faults of programs: from the exception to the return of handle_mm_fault(), which has put
 * the page in its place. So a fault's time includes the wait for the lock of the address space,
 * for memory and for a file.
 *
 * The kernel may handle a fault in several attempts, and release that lock in between. All
 * attempts count as one fault. A fault at an address without a mapping never reaches
 * handle_mm_fault(); it ends in a signal, and does not count.
 */
#include <linux/errno.h>
#include <linux/gfp.h>
#include <linux/mm.h>
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <trace/events/exceptions.h>

#include "compat/fault.h"
#include "compat/tracepoint.h"
#include "core/figures.h"
#include "core/filter.h"
#include "core/hit.h"
#include "core/provider.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/table.h"
#include "lib/arch.h"
#include "lib/mem.h"
#include "lib/task_table.h"
#include "lib/ticks.h"
#include "providers/fault_record.h"
#include "providers/hook.h"
#include "providers/peers.h"
#include "providers/providers.h"

static KT_PEERS(fault_peers);

/* The fault that a task is in. */
struct fault_task {
	struct kt_task_entry entry;
	struct kt_fault fault;
};

static struct kt_task_table fault_tasks;

/* RCU reader, preemption off. */
static struct fault_task *fault_task_find(void)
{
	struct kt_task_entry *entry = kt_task_table_find(&fault_tasks, current);

	return entry ? container_of(entry, struct fault_task, entry) : NULL;
}

static struct fault_task *fault_task_make(void)
{
	struct kt_task_entry *entry;

	kt_pool_refill(&fault_tasks.pool, GFP_NOWAIT);
	entry = kt_task_table_add(&fault_tasks, current);
	return entry ? container_of(entry, struct fault_task, entry) : NULL;
}

/* --- hits ------------------------------------------------------------------- */

/* There is no memory for the task, so the end of its fault will not be seen. */
static noinline void fault_count_lost(void)
{
	struct kt_session *session;

	kt_peers_each(session, &fault_peers)
		if (kt_filter_task(session))
			this_cpu_inc(session->hot.cpu->counters.lost_pool);
}

static void fault_on_exception(void *data, unsigned long address, struct pt_regs *regs,
			       unsigned long error_code)
{
	struct fault_task *task;

	kt_refill(GFP_NOWAIT);
	rcu_read_lock_sched();
	task = fault_task_find();
	if (unlikely(!task))
		task = fault_task_make();
	if (likely(task)) {
		task->fault.kind = kt_arch_fault_kind(error_code);
		task->fault.page = address & PAGE_MASK;
		task->fault.start = kt_ticks();
	} else {
		fault_count_lost();
	}
	rcu_read_unlock_sched();
}

/* Returns true if the return of this call has to be seen. */
static bool fault_enter(const struct kt_hook *hook, const unsigned long *args, void *data)
{
	return kt_fault_is_of_user(args);
}

static void fault_count_in_table(struct kt_session *session, struct kt_session_cpu *cpu,
				 const struct kt_fault *fault, u64 now, u64 duration)
{
	const struct kt_table_event event = { .who = current, .func = fault->kind, .now = now };
	struct kt_hist *row;

	row = kt_table_count(kt_figures_table(session), &event, duration, &cpu->counters);
	if (row)
		row->errors += !!fault->error;
}

static void fault_count(struct kt_session *session, const struct kt_fault *fault, u64 now,
			u64 duration)
{
	struct kt_session_cpu *cpu = this_cpu_ptr(session->hot.cpu);
	struct kt_hist *hist;

	if (fault->start < session->hot.counts_from || duration < session->hot.least ||
	    !kt_filter_task_on(session, cpu))
		return;
	hist = kt_figures_hist(cpu, fault->kind);
	if (hist) {
		if (unlikely(!kt_hist_add(hist, duration)))
			cpu->counters.lost_pool++;
		hist->errors += !!fault->error;
	}
	if (session->hot.sinks & KTRACE_SINK_TABLE)
		fault_count_in_table(session, cpu, fault, now, duration);
	if (session->hot.ring && duration >= session->hot.min_time)
		kt_fault_record(session, fault, duration, now);
	if (unlikely(++cpu->counters.hits % KT_HIT_SAMPLE_EVERY == 0)) {
		cpu->counters.run_cnt++;
		cpu->counters.run_ns += kt_ticks_to_ns(kt_ticks() - now);
	}
}

/* Returns 0 if the page is there, or a negative errno. */
static int fault_result(unsigned long result)
{
	const unsigned long poison = KT_FAULT_BIT(VM_FAULT_HWPOISON) |
				     KT_FAULT_BIT(VM_FAULT_HWPOISON_LARGE);

	if (!(result & KT_FAULT_BIT(VM_FAULT_ERROR)))
		return 0;
	if (result & KT_FAULT_BIT(VM_FAULT_OOM))
		return -ENOMEM;
	return result & poison ? -EHWPOISON : -EFAULT;
}

static void fault_count_in_all(struct kt_fault *fault)
{
	u64 now = kt_ticks(), start = fault->start;
	u64 duration = now > start ? kt_ticks_to_ns(now - start) : 0;
	struct kt_session *session;

	kt_peers_each(session, &fault_peers)
		fault_count(session, fault, now, duration);
	fault->start = 0;
}

static void fault_leave(void *data, unsigned long result)
{
	struct fault_task *task;

	rcu_read_lock_sched();
	task = fault_task_find();
	if (task && task->fault.start) {
		if (result & KT_FAULT_BIT(VM_FAULT_MAJOR))
			task->fault.kind |= KTRACE_FAULT_MAJOR;
		task->fault.error = -fault_result(result);
		if (!(result & KT_FAULT_BIT(VM_FAULT_RETRY)))
			fault_count_in_all(&task->fault);
	}
	rcu_read_unlock_sched();
	kt_refill_soon();
}

/* --- sessions ---------------------------------------------------------------- */

static struct kt_tracepoint fault_probes[] = {
	KT_TRACEPOINT(page_fault_user, fault_on_exception),
};

static struct kt_hook fault_hook[] = {
	{ .name = "handle_mm_fault", .kind = 1, .enter = fault_enter, .leave = fault_leave },
};

static struct kt_hooks fault_hooks = { .hooks = fault_hook, .nr = ARRAY_SIZE(fault_hook) };

/* Attaches the probes for the first session. */
static int fault_begin_probes(void)
{
	int error;

	if (!kt_peers_are_none(&fault_peers))
		return 0;
	kt_refill_all(GFP_KERNEL);
	error = kt_hooks_attach(&fault_hooks);
	if (error)
		return error;
	error = kt_tracepoints_attach(fault_probes, ARRAY_SIZE(fault_probes));
	if (error)
		kt_hooks_detach(&fault_hooks);
	return error;
}

static int fault_begin(struct kt_session *session)
{
	int error;

	if (!session->source)
		session->source = kt_mem_alloc(sizeof(struct kt_hooks_account));
	if (!session->source)
		return -ENOMEM;
	error = fault_begin_probes();
	if (!error)
		kt_hooks_account_begin(session->source, &fault_hooks);
	return error;
}

static void fault_end(struct kt_session *session)
{
	kt_hooks_account_end(session->source, &fault_hooks);
	if (!kt_peers_are_none(&fault_peers))
		return;
	kt_tracepoints_detach(fault_probes, ARRAY_SIZE(fault_probes));
	kt_hooks_detach(&fault_hooks);
	kt_task_table_clear(&fault_tasks);
}

static u64 fault_missed(struct kt_session *session)
{
	u64 nr = 0;

	mutex_lock(&fault_peers.lock);
	if (session->source)
		nr = kt_hooks_account_get(session->source, &fault_hooks,
					  !list_empty(&session->peers));
	mutex_unlock(&fault_peers.lock);
	return nr;
}

static void fault_put(struct kt_session *session)
{
	kt_mem_free(session->source, sizeof(struct kt_hooks_account));
}

static void fault_init(void)
{
	kt_task_table_init(&fault_tasks, sizeof(struct fault_task), 16);
}

static const struct kt_columns fault_columns = {
	.keys = KT_KEYS_OF_TASKS | 1U << KTRACE_KEY_FAULT,
	.own = { KTRACE_KEY_FAULT },
	.values = KT_FIGURES_OF_CALLS | 1ULL << KTRACE_FIGURE_ERRORS,
};

const struct kt_provider kt_fault_provider = {
	.number = KTRACE_PROVIDER_FAULT,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TABLE | KTRACE_SINK_STREAM,
	.flags = KTRACE_F_OVERWRITE | KTRACE_F_GATE,
	.nr_trigger = KTRACE_NR_FAULTS,
	.has_errors = true,
	.min_time_with = KTRACE_SINK_HIST | KTRACE_SINK_STREAM | KTRACE_SINK_TABLE,
	.has_follow = true,
	.has_on_exec = true,
	.columns = &fault_columns,
	.nr_funcs = KTRACE_NR_FAULTS,
	.init = fault_init,
	.missed = fault_missed,
	.peers = &fault_peers,
	.attach = fault_begin,
	.detach = fault_end,
	.put = fault_put,
};
