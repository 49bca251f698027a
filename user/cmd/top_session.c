// SPDX-License-Identifier: GPL-2.0
#include <unistd.h>

#include "cmd/gather_attach.h"
#include "cmd/top_session.h"
#include "session/wait.h"
#include "util/clock.h"

/* A half of what the module keeps of one session. */
#define MANY_STACKS 4096
#define MANY_FRAMES 98304

/* All counters are sums. */
#define NR_COUNTERS (sizeof(struct ktrace_counters) / sizeof(__u64))

static void counters_add(struct ktrace_counters *to, const struct ktrace_counters *from)
{
	size_t i;

	for (i = 0; i < NR_COUNTERS; i++)
		((__u64 *)to)[i] += ((const __u64 *)from)[i];
}

static struct ktrace_counters counters_since(const struct ktrace_counters *before,
					     const struct ktrace_counters *now)
{
	struct ktrace_counters diff;
	size_t i;

	for (i = 0; i < NR_COUNTERS; i++)
		((__u64 *)&diff)[i] = ((const __u64 *)now)[i] - ((const __u64 *)before)[i];
	return diff;
}

/* --- begin and end ---------------------------------------------------------- */

static void begin_window(struct top_session *top, uint64_t from)
{
	top->from = from;
	top->own_ns = clock_cpu_ns();
	top->own_from = clock_now_ns();
	top->nr_cpus = sysconf(_SC_NPROCESSORS_ONLN);
}

static bool has_stacks(const struct top_tab *tab)
{
	return tab && tab->sinks & KTRACE_SINK_STACKS;
}

/* The module keeps tables as long as sessions that were given them. */
static void open_unwinder(struct top_session *top, const struct top_tab *tab)
{
	const struct opt_pids *pids = &top->config->pids;

	if (!has_stacks(tab) || !gather_has_tables(top->config))
		return;
	unwinder_open(&top->unwinder, top->ktr);
	unwinder_add_processes(&top->unwinder, pids->pids, pids->nr);
	top->config->unwinder = top->unwinder.ktr ? &top->unwinder : NULL;
}

static void close_unwinder(struct top_session *top)
{
	top->config->unwinder = NULL;
	unwinder_close(&top->unwinder);
}

int top_session_open(struct top_session *top, const struct top_tab *tab, struct err *err)
{
	const struct gather_choice choice = {
		.pids = top->config->pids.pids, .nr_pids = top->config->pids.nr,
	};
	const struct gather_view view = {
		.provider = tab->provider, .sinks = tab->sinks, .what = tab->what,
		.frequency = tab->provider == KTRACE_PROVIDER_PROFILE ? top->frequency : 0,
	};

	top_session_close(top);
	open_unwinder(top, tab);
	if (gather_attach(top->ktr, top->config, &view, &choice, &top->session, err)) {
		close_unwinder(top);
		return -1;
	}
	unwinder_begun(&top->unwinder);
	top->tab = tab;
	top->id = top->session.id;
	begin_window(top, top->session.start.monotonic);
	return 0;
}

/* Another command may have deleted it. */
void top_session_close(struct top_session *top)
{
	if (!top->tab)
		return;
	if (!ktr_session_get(top->ktr, top->id, &top->session))
		counters_add(&top->counters, &top->session.counters);
	session_delete(top->ktr, top->id);
	close_unwinder(top);
	stacks_forget(&top->stacks);
	top->tab = NULL;
	top->is_full = false;
}

void top_session_free(struct top_session *top)
{
	top_session_close(top);
	stacks_free(&top->stacks);
}

int top_session_renew(struct top_session *top, struct err *err)
{
	return top->tab && top->is_full ? top_session_open(top, top->tab, err) : 0;
}

/* --- figures ---------------------------------------------------------------- */

/* Every session of the module sends notices, but only new stacks are worth a wake-up. */
int top_session_news(const struct top_session *top)
{
	return has_stacks(top->tab) ? ktr_notice_fd(top->ktr) : -1;
}

int top_session_look(struct top_session *top)
{
	int error;

	ktr_notices_drain(top->ktr);
	error = has_stacks(top->tab) ? stacks_read(&top->stacks, top->ktr, top->id,
						    top->config->unwinder) : 0;
	unwinder_look(&top->unwinder);
	return error;
}

static bool is_full(const struct stacks *stacks)
{
	size_t nr = 0, i;

	for (i = 0; i < stacks->nr; i++)
		nr += stacks->all[i].nr;
	return stacks->nr >= MANY_STACKS || nr >= MANY_FRAMES;
}

/* Of each some hits, the module measures one. */
static double hit_share(const struct ktrace_counters *all, const struct ktrace_counters *window,
			uint64_t duration_ns)
{
	if (!all->run_cnt || !duration_ns)
		return -1;
	return 100.0 * all->run_ns / all->run_cnt * window->hits / duration_ns;
}

static double own_share(const struct top_session *top)
{
	return 100.0 * (clock_cpu_ns() - top->own_ns) / (clock_now_ns() - top->own_from + 1);
}

/* A window may have ended before now, with its processes. */
static void measure(struct top_session *top, struct top_window *window,
		    const struct ktr_session *before)
{
	const struct ktr_session *now = &top->session;
	long nr_cpus = top->nr_cpus;
	uint64_t duration_ns;

	window->from = top->from;
	window->to = now->ended_at > top->from ? now->ended_at : now->now.monotonic;
	window->own_share = own_share(top);
	begin_window(top, window->to);
	window->nr_cpus_before = nr_cpus;
	window->nr_cpus = top->nr_cpus;
	duration_ns = window->to - window->from;
	window->counters = counters_since(&before->counters, &now->counters);
	window->hit_share = hit_share(&now->counters, &window->counters, duration_ns);
	window->state = now->state;
	window->has_ended = now->ended_at;
}

int top_session_end_window(struct top_session *top, struct top_window *window)
{
	struct top_source source = {
		.ktr = top->ktr, .session = &top->session, .stacks = &top->stacks,
		.read_flags = KTRACE_READ_BEFORE,
	};
	struct ktr_session before = top->session;
	int error = ktr_sessions_reset(top->ktr, &top->id, 1, 0), done;

	if (!error)
		error = ktr_session_get(top->ktr, top->id, &top->session);
	if (!error)
		error = top_session_look(top);
	if (error)
		return error;
	measure(top, window, &before);
	source.duration_ns = window->to - window->from;
	error = top_figures_read(&window->figures, top->tab, &source);
	done = ktr_sessions_reset(top->ktr, &top->id, 1, KTRACE_RESET_DONE);
	top->is_full = is_full(&top->stacks);
	return error ? error : done;
}
