// SPDX-License-Identifier: GPL-2.0
/*
 * Calls of kernel functions. Calls occur in any context, and inside each other. So the figures of
 * a CPU are written with interrupts off, and never in an NMI.
 */
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/percpu.h>
#include <linux/sched.h>
#include <linux/smp.h>

#include "compat/rcu.h"
#include "core/figures.h"
#include "core/filter.h"
#include "core/hit.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/stacks.h"
#include "core/table.h"
#include "lib/arch.h"
#include "lib/budget.h"
#include "lib/lock.h"
#include "lib/ticks.h"
#include "providers/kfunc_hit.h"
#include "providers/kfunc_parts.h"
#include "providers/kfunc_record.h"

/* An idle CPU that RCU does not watch could access memory that is already freed. */
static __always_inline bool is_seen_by_rcu(void)
{
	return likely(current->pid) || kt_rcu_is_watching();
}

static __always_inline bool is_wanted(struct kt_session *session)
{
	if (unlikely(!is_seen_by_rcu()) || !kt_filter_task(session))
		return false;
	if (likely(!kt_is_locked_here()))
		return true;
	this_cpu_inc(session->hot.cpu->counters.lost_nested);
	return false;
}

/* The tree contains calls of tasks: an interrupt is not called by the task. */
static bool kfunc_hit_is_task_context(void)
{
	return !(preempt_count() & (NMI_MASK | HARDIRQ_MASK | SOFTIRQ_OFFSET));
}

static noinline int kfunc_hit_enter_tree(struct kt_session *session, u32 func, unsigned long sp,
					 struct kt_kfunc_call *call)
{
	if (!kfunc_hit_is_task_context())
		return 1;
	call->sp = sp;
	kt_refill_soon();
	if (session->hot.flags & KTRACE_F_ERRORS)
		return kt_hit_try(session, func, sp);
	return session->hot.funcs[func].desc.flags & KT_FUNC_PLACED ?
	       kt_hit_placed(session, func, sp, NULL) :
	       kt_hit_entry(session, func, sp);
}

/*
 * The stack is taken at the entry: at the return the frame of the function is gone, and the
 * unwinder may not get past the trampoline. It is not taken in interrupts: the interrupt may have
 * arrived inside the trampoline, which makes the unwinder print a warning.
 */
static noinline void kfunc_hit_take_stack(struct kt_session *session, unsigned long sp,
					  struct kt_kfunc_call *call)
{
	const struct kt_frames *frames = NULL;
	unsigned long flags;
	bool is_kept = false;
	u64 start;

	call->stack = 0;
	if (!kfunc_hit_is_task_context())
		return;
	local_irq_save(flags);
	if (kt_budget_begin(&start)) {
		frames = kt_stacks_take_above(sp, session->hot.flags & KTRACE_F_UNWIND);
		is_kept = frames && kt_stacks_keep(session->hot.stacks, frames) != KT_STACK_NONE;
		kt_budget_end(start);
	}
	if (is_kept)
		call->stack = frames->key;
	else
		this_cpu_inc(session->hot.cpu->counters.lost_stacks);
	local_irq_restore(flags);
}

static noinline int kfunc_hit_enter_slow(struct kt_kfuncs *kfuncs, u32 func, unsigned long sp,
					 struct kt_kfunc_call *call)
{
	struct kt_session *session = kfuncs->session;

	if (unlikely(!READ_ONCE(kfuncs->is_open)) || !is_wanted(session))
		return 1;
	if (kfuncs->is_tree)
		return kfunc_hit_enter_tree(session, func, sp, call);
	if (session->hot.sinks & KTRACE_SINK_STACKS)
		kfunc_hit_take_stack(session, sp, call);
	call->start = kt_ticks();
	return 0;
}

/* Unusual cases are handled by another function, so that this one saves no registers for them. */
int kt_kfunc_enter(struct kt_kfuncs *kfuncs, u32 func, unsigned long sp,
		   struct kt_kfunc_call *call)
{
	if (unlikely(!kfuncs->is_timed || !kt_ticks_are_cycles || kt_is_locked_here() ||
		     !current->pid ||
		     !kt_filter_has_seen(this_cpu_ptr(kfuncs->session->hot.cpu),
					 task_tgid(current))))
		return kfunc_hit_enter_slow(kfuncs, func, sp, call);
	call->start = kt_arch_read_cycles() + kt_ticks_base;
	return 0;
}

/* A call without a stack counts in the node of the function only. */
static void kfunc_hit_count_stack(struct kt_session *session, u32 func, u64 duration, u64 stack)
{
	struct kt_tree *tree = kt_figures_tree(session);
	u32 node = kt_figures_add_node(session, tree, KTRACE_NODE_ROOT, func, duration);
	u32 key = stack ? kt_stacks_find(session->hot.stacks, stack) : KT_STACK_NONE;

	if (key != KT_STACK_NONE)
		kt_figures_add_node(session, tree, node, key, duration);
}

static void kfunc_hit_count_row(struct kt_session *session, u32 func, u64 duration, u64 now,
				long ret)
{
	struct kt_table_event event = { .who = current, .func = func, .now = now };
	struct kt_hist *row = kt_table_count(kt_figures_table(session), &event, duration,
					     &this_cpu_ptr(session->hot.cpu)->counters);

	if (unlikely(!row))
		return;
	row->entries++;
	if (unlikely(kt_kfunc_is_error(ret)))
		row->errors++;
}

/* Counts what only few sessions need. */
static noinline void kfunc_hit_count_more(struct kt_session *session, u32 func, u64 duration,
					  u64 now, long ret, const struct kt_kfunc_call *call)
{
	if (session->hot.sinks & KTRACE_SINK_TABLE)
		kfunc_hit_count_row(session, func, duration, now, ret);
	if (session->hot.sinks & KTRACE_SINK_TREE)
		kfunc_hit_count_stack(session, func, duration, call->stack);
	if (session->hot.ring && duration >= session->hot.min_time)
		kt_kfunc_record(session, func, duration, now, ret, call);
}

static __always_inline void count(struct kt_session *session, u32 func, u64 duration, u64 now,
				  long ret, const struct kt_kfunc_call *more)
{
	struct kt_session_cpu *cpu = this_cpu_ptr(session->hot.cpu);
	struct kt_hist *hist = kt_figures_hist(cpu, func);

	if (likely(hist)) {
		hist->entries++;
		if (unlikely(!kt_hist_add(hist, duration)))
			cpu->counters.lost_pool++;
		if (unlikely(kt_kfunc_is_error(ret)))
			hist->errors++;
	}
	if (more)
		kfunc_hit_count_more(session, func, duration, now, ret, more);
	if (unlikely(++cpu->counters.hits % KT_HIT_SAMPLE_EVERY == 0)) {
		cpu->counters.run_cnt++;
		cpu->counters.run_ns += kt_ticks_to_ns(kt_ticks() - now);
	}
}

/* more: NULL if the call counts in the histogram of the function only. */
static __always_inline void leave(struct kt_session *session, u32 func, u64 start, u64 now,
				  long ret, const struct kt_kfunc_call *more)
{
	u64 duration = likely(now > start) ? kt_ticks_to_ns(now - start) : 0;
	unsigned long flags;

	if (duration < session->hot.least)
		return;
	if (unlikely(in_nmi())) {
		this_cpu_inc(session->hot.cpu->counters.lost_nested);
		return;
	}
	local_irq_save(flags);
	count(session, func, duration, now, ret, more);
	local_irq_restore(flags);
	kt_refill_soon();
}

static noinline void kfunc_hit_leave_slow(struct kt_kfuncs *kfuncs, u32 func,
					  const struct kt_kfunc_call *call, long ret)
{
	struct kt_session *session = kfuncs->session;

	if (unlikely(!READ_ONCE(kfuncs->is_open)))
		return;
	if (session->hot.flags & KTRACE_F_ERRORS)
		kt_hit_outcome(session, func, call->sp, kt_kfunc_is_error(ret) ? -(s32)ret : 0);
	else if (kfuncs->is_tree)
		kt_hit_return(session, func, call->sp);
	else
		leave(session, func, call->start, kt_ticks(), ret, call);
}

void kt_kfunc_leave(struct kt_kfuncs *kfuncs, u32 func, const struct kt_kfunc_call *call,
		    long ret)
{
	if (likely(kfuncs->is_plain))
		leave(kfuncs->session, func, call->start, kt_ticks(), ret, NULL);
	else
		kfunc_hit_leave_slow(kfuncs, func, call, ret);
}

void kt_kfunc_count(struct kt_kfuncs *kfuncs, u32 func)
{
	struct kt_session *session = kfuncs->session;
	struct kt_session_cpu *cpu;
	struct kt_hist *hist;
	unsigned long flags;

	if (unlikely(!READ_ONCE(kfuncs->is_open)) || !is_wanted(session))
		return;
	if (unlikely(in_nmi())) {
		this_cpu_inc(session->hot.cpu->counters.lost_nested);
		return;
	}
	local_irq_save(flags);
	cpu = this_cpu_ptr(session->hot.cpu);
	hist = kt_figures_hist(cpu, func);
	if (likely(hist))
		hist->entries++;
	cpu->counters.hits++;
	local_irq_restore(flags);
	kt_refill_soon();
}
