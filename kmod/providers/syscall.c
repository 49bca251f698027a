// SPDX-License-Identifier: GPL-2.0
/*
 * System calls: one set of probes at their tracepoints serves all sessions. The time at which a
 * call begins is kept with its task. At the end of the call the filters of the sessions decide
 * where it counts.
 */
#include <linux/gfp.h>
#include <linux/preempt.h>
#include <linux/sched.h>
#include <trace/events/sched.h>
#include <trace/events/syscalls.h>

#include <asm/unistd.h>

#include "compat/sched.h"
#include "compat/syscall_args.h"
#include "compat/tracepoint.h"
#include "core/figures.h"
#include "core/filter.h"
#include "core/hit.h"
#include "core/provider.h"
#include "core/refill.h"
#include "core/session.h"
#include "core/table.h"
#include "lib/arch.h"
#include "lib/ticks.h"
#include "providers/off_word.h"
#include "providers/peers.h"
#include "providers/providers.h"
#include "providers/syscall_pages.h"
#include "providers/syscall_record.h"
#include "providers/syscall_task.h"

static KT_PEERS(syscall_peers);

#define MAX_ERRNO_NR 4095	/* includes errnos that only the kernel itself uses */

/* The 64-bit calls that x32 has again, from 512 on, since their arguments have other layouts. */
static const u16 x32_calls[] = {
	__NR_rt_sigaction, __NR_rt_sigreturn, __NR_ioctl, __NR_readv, __NR_writev, __NR_recvfrom,
	__NR_sendmsg, __NR_recvmsg, __NR_execve, __NR_ptrace, __NR_rt_sigpending,
	__NR_rt_sigtimedwait, __NR_rt_sigqueueinfo, __NR_sigaltstack, __NR_timer_create,
	__NR_mq_notify, __NR_kexec_load, __NR_waitid, __NR_set_robust_list, __NR_get_robust_list,
	__NR_vmsplice, __NR_move_pages, __NR_preadv, __NR_pwritev, __NR_rt_tgsigqueueinfo,
	__NR_recvmmsg, 307 /* sendmmsg */, 310 /* process_vm_readv */, 311 /* process_vm_writev */,
	__NR_setsockopt, __NR_getsockopt, __NR_io_setup, __NR_io_submit, 322 /* execveat */,
	327 /* preadv2 */, 328 /* pwritev2 */,
};

#define X32_FIRST 512

static noinline u32 syscall_number_beyond(long id)
{
	u32 number = id & ~__X32_SYSCALL_BIT;

	if (id < 0 || !(id & __X32_SYSCALL_BIT) || kt_is_compat_syscall())
		return KTRACE_SYSCALL_OTHER;
	if (number < X32_FIRST)
		return number;
	number -= X32_FIRST;
	return number < ARRAY_SIZE(x32_calls) ? x32_calls[number] : KTRACE_SYSCALL_OTHER;
}

static u32 syscall_number_of(long id)
{
	if (unlikely((unsigned long)id >= KTRACE_SYSCALL_COMPAT))
		return syscall_number_beyond(id);
	return kt_is_compat_syscall() ? KTRACE_SYSCALL_COMPAT + id : id;
}

/* --- entry ---------------------------------------------------------------- */

/* The gap between two transfers of one file is time that a larger buffer could save. */
static void syscall_measure_gap(struct kt_syscall_task *task, struct pt_regs *regs)
{
	bool is_next = task->moved && task->nr == task->moved_nr &&
		       kt_syscall_arg(regs) == task->moved_fd;

	task->gap = is_next && task->start > task->moved ? task->start - task->moved : 0;
	task->moved = 0;
}

static noinline void syscall_on_enter_mover(struct kt_syscall_task *task, struct pt_regs *regs)
{
	if (unlikely(kt_syscall_pages_are_watched)) {
		kt_syscall_pages_begin(task, regs);
		/* The time of kt_syscall_pages_begin() does not belong to the call. */
		task->start = kt_ticks();
		task->pages.call = task->start;
	}
	syscall_measure_gap(task, regs);
}

/* There is no memory for the task, so the end of its call will not be seen. */
static noinline void syscall_count_lost(void)
{
	struct kt_session *session;

	kt_peers_each(session, &syscall_peers)
		if (kt_filter_task(session))
			this_cpu_inc(session->hot.cpu->counters.lost_pool);
}

static void syscall_on_enter(void *data, struct pt_regs *regs, long id)
{
	struct kt_syscall_task *task;

	kt_refill(GFP_NOWAIT);
	kt_syscall_event_begin();
	task = kt_syscall_task_cached();
	if (unlikely(!task))
		task = kt_syscall_task_make();
	if (unlikely(!task)) {
		syscall_count_lost();
		goto out;
	}
	task->nr = syscall_number_of(id);
	task->away = 0;
	task->start = kt_ticks();
	if (unlikely(kt_arch_moves_bytes(task->nr)))
		syscall_on_enter_mover(task, regs);
out:
	kt_syscall_event_end();
}

static noinline void syscall_remember(struct kt_syscall_task *task, struct pt_regs *regs, u64 now)
{
	task->moved = now;
	task->moved_nr = task->nr;
	task->moved_fd = kt_syscall_arg(regs);
}

/* --- exit ----------------------------------------------------------------- */

static bool syscall_is_error(long ret)
{
	return (unsigned long)ret >= (unsigned long)-MAX_ERRNO_NR;
}

static noinline void syscall_add_bytes(struct kt_hist *hist, const struct kt_syscall_task *task,
				       long ret)
{
	hist->bytes += ret;
	if (!task->gap)
		return;
	hist->gaps++;
	hist->gap_ns += kt_ticks_to_ns(task->gap);
}

/* Counts an error, or the bytes that the call moved. */
static __always_inline void syscall_add_result(struct kt_hist *hist,
					       const struct kt_syscall_task *task, long ret)
{
	if (syscall_is_error(ret))
		hist->errors++;
	else if (unlikely(kt_arch_moves_bytes(task->nr)))
		syscall_add_bytes(hist, task, ret);
}

/* Returns the row that the call counts in, or NULL. */
static struct kt_hist *syscall_count_in_table(struct kt_session *session,
					      const struct kt_syscall_task *task, u64 now,
					      u64 duration, long ret)
{
	struct kt_table_event event = {
		.who = current, .func = task->nr, .now = now,
		.error = syscall_is_error(ret) ? -ret : 0,
	};
	struct kt_hist *row = kt_table_count(kt_figures_table(session), &event, duration,
					     &this_cpu_ptr(session->hot.cpu)->counters);

	if (row)
		syscall_add_result(row, task, ret);
	return row;
}

static void syscall_add_page_figures(struct kt_hist *hist, const struct kt_page_figures *pages)
{
	hist->page_hits += pages->hits;
	hist->page_misses += pages->misses;
	hist->pages_ahead += pages->ahead;
	hist->pages_dirtied += pages->dirtied;
}

/* Counts the pages of a call in its histogram and its row. Each of the two may be NULL. */
static void syscall_count_pages(struct kt_session *session, struct kt_hist *hist,
				struct kt_hist *row,
			const struct kt_syscall_task *task, struct pt_regs *regs, long ret)
{
	struct kt_page_figures pages;

	if (!kt_syscall_pages_get(task, regs, ret, &pages))
		this_cpu_inc(session->hot.cpu->counters.lost_fault);
	if (hist)
		syscall_add_page_figures(hist, &pages);
	if (row)
		syscall_add_page_figures(row, &pages);
}

static void syscall_count_cpu_time(struct kt_hist *hist, struct kt_hist *row,
				   const struct kt_syscall_task *task, u64 duration)
{
	u64 away = kt_ticks_to_ns(kt_off_word_ticks(task->away, 0, 0));	/* it is on a CPU */
	u64 ran = duration > away ? duration - away : 0;

	if (hist)
		hist->self_ns += ran;
	if (row)
		row->self_ns += ran;
}

/* Counts what only few sessions need. hist may be NULL. */
static noinline void syscall_count_more(struct kt_session *session, struct kt_hist *hist,
					const struct kt_syscall_task *task, struct pt_regs *regs,
					u64 now, u64 duration, long ret)
{
	struct kt_hist *row = NULL;

	if (session->hot.sinks & KTRACE_SINK_TABLE)
		row = syscall_count_in_table(session, task, now, duration, ret);
	if (session->hot.flags & KTRACE_F_CPU_TIME)
		syscall_count_cpu_time(hist, row, task, duration);
	if (session->hot.flags & KTRACE_F_PAGES)
		syscall_count_pages(session, hist, row, task, regs, ret);
	if (session->hot.ring && duration >= session->hot.min_time)
		kt_syscall_record(session, task, regs, now, duration, ret);
}

static __always_inline void count(struct kt_session *session, const struct kt_syscall_task *task,
				  struct pt_regs *regs, u64 now, u64 duration, long ret)
{
	struct kt_session_cpu *cpu;
	struct ktrace_counters *counters;
	struct kt_hist *hist;

	cpu = this_cpu_ptr(session->hot.cpu);
	if (unlikely(task->start < session->hot.counts_from || duration < session->hot.least) ||
	    !kt_filter_task_on(session, cpu))
		return;
	counters = &cpu->counters;
	hist = kt_figures_hist(cpu, task->nr);
	if (likely(hist)) {
		if (unlikely(!kt_hist_add(hist, duration)))
			counters->lost_pool++;
		syscall_add_result(hist, task, ret);
	}
	if (unlikely(session->hot.has_more))
		syscall_count_more(session, hist, task, regs, now, duration, ret);
	if (unlikely(++counters->hits % KT_HIT_SAMPLE_EVERY == 0)) {
		counters->run_cnt++;
		counters->run_ns += kt_ticks_to_ns(kt_ticks() - now);
	}
}

static void syscall_on_exit(void *data, struct pt_regs *regs, long ret)
{
	struct kt_syscall_task *task;
	struct kt_session *session;
	u64 now, duration;

	kt_syscall_event_begin();
	task = kt_syscall_task_cached();
	if (unlikely(!task || !task->start))
		goto out;
	now = kt_ticks();
	duration = likely(now > task->start) ? kt_ticks_to_ns(now - task->start) : 0;
	kt_peers_each(session, &syscall_peers)
		count(session, task, regs, now, duration, ret);
	task->start = 0;
	if (unlikely(kt_arch_moves_bytes(task->nr)))
		syscall_remember(task, regs, now);
out:
	kt_syscall_event_end();
}

/* --- time on the CPU ------------------------------------------------------- */

static u64 *syscall_away_of(const struct task_struct *of)
{
	struct kt_syscall_task *task = kt_syscall_task_find(of);

	return task ? &task->away : NULL;
}

static KT_ON_SWITCH(syscall_on_switch, prev, next)
{
	kt_off_word_switch(syscall_away_of, prev, next);
}

/* --- sessions ------------------------------------------------------------- */

static struct kt_tracepoint probes[] = {
	KT_TRACEPOINT(sys_enter, syscall_on_enter),
	KT_TRACEPOINT(sys_exit, syscall_on_exit),
};

static struct kt_tracepoint switches[] = {
	KT_TRACEPOINT(sched_switch, syscall_on_switch),
};

static u32 nr_cpu_time;		/* sessions with CPU_TIME; guarded by the lock of peers */

static int syscall_watch_switches(const struct kt_session *session)
{
	int error = 0;

	if (!(session->hot.flags & KTRACE_F_CPU_TIME))
		return 0;
	if (!nr_cpu_time)
		error = kt_tracepoints_attach(switches, ARRAY_SIZE(switches));
	nr_cpu_time += !error;
	return error;
}

static void syscall_unwatch_switches(const struct kt_session *session)
{
	if ((session->hot.flags & KTRACE_F_CPU_TIME) && !--nr_cpu_time)
		kt_tracepoints_detach(switches, ARRAY_SIZE(switches));
}

static u32 nr_pages;		/* sessions with PAGES; guarded by the same lock */

static int syscall_watch_pages(const struct kt_session *session)
{
	int error = 0;

	if (!(session->hot.flags & KTRACE_F_PAGES))
		return 0;
	if (!nr_pages)
		error = kt_syscall_pages_watch();
	nr_pages += !error;
	return error;
}

static void syscall_unwatch_pages(const struct kt_session *session)
{
	if ((session->hot.flags & KTRACE_F_PAGES) && !--nr_pages)
		kt_syscall_pages_unwatch();
}

/* Starts the additional probes that this session needs. */
static int syscall_watch_more(const struct kt_session *session)
{
	int error = syscall_watch_switches(session);

	if (error)
		return error;
	error = syscall_watch_pages(session);
	if (error)
		syscall_unwatch_switches(session);
	return error;
}

static void syscall_unwatch_more(const struct kt_session *session)
{
	syscall_unwatch_pages(session);
	syscall_unwatch_switches(session);
}

static int syscall_begin(struct kt_session *session)
{
	int error;

	kt_refill_all(GFP_KERNEL);
	error = syscall_watch_more(session);
	if (error || !kt_peers_are_none(&syscall_peers))
		return error;
	error = kt_tracepoints_attach(probes, ARRAY_SIZE(probes));
	if (error) {
		syscall_unwatch_more(session);
		kt_syscall_task_forget_all();
	}
	return error;
}

static void syscall_end(struct kt_session *session)
{
	syscall_unwatch_more(session);
	if (!kt_peers_are_none(&syscall_peers))
		return;
	kt_tracepoints_detach(probes, ARRAY_SIZE(probes));
	kt_syscall_task_forget_all();
}

static const struct kt_columns syscall_columns = {
	.keys = KT_KEYS_OF_TASKS | 1U << KTRACE_KEY_SYSCALL | 1U << KTRACE_KEY_ERRNO,
	.own = { KTRACE_KEY_SYSCALL },
	.values = KT_FIGURES_OF_CALLS | 1ULL << KTRACE_FIGURE_ERRORS |
		  1ULL << KTRACE_FIGURE_SELF | 1ULL << KTRACE_FIGURE_BYTES |
		  1ULL << KTRACE_FIGURE_GAPS | 1ULL << KTRACE_FIGURE_GAP_TIME |
		  KT_FIGURES_OF_PAGES,
	.self_flags = KTRACE_F_CPU_TIME,
};

const struct kt_provider kt_syscall_provider = {
	.number = KTRACE_PROVIDER_SYSCALLS,
	.init = kt_syscall_task_init,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TABLE | KTRACE_SINK_STREAM | KTRACE_SINK_STACKS,
	.flags = KTRACE_F_OVERWRITE | KTRACE_F_CPU_TIME | KTRACE_F_PAGES | KTRACE_F_GATE |
		 KTRACE_F_UNWIND,
	.nr_trigger = KTRACE_NR_SYSCALLS,
	.has_errors = true,
	.min_time_with = KTRACE_SINK_HIST | KTRACE_SINK_STREAM | KTRACE_SINK_TABLE,
	.frames_with = KTRACE_SINK_STREAM,
	.has_follow = true,
	.has_on_exec = true,
	.columns = &syscall_columns,
	.nr_funcs = KTRACE_NR_SYSCALLS,
	.peers = &syscall_peers,
	.attach = syscall_begin,
	.detach = syscall_end,
};
