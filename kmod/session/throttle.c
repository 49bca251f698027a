// SPDX-License-Identifier: GPL-2.0
/*
 * The budget of a session. Ten times a second, a work counts the calls of each function, and
 * computes what their hits have cost the programs. If the cost of the last second exceeds the
 * budget, the work removes the most expensive functions, until the other functions are within the
 * budget.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "core/costs.h"
#include "core/event.h"
#include "core/figures.h"
#include "core/hist.h"
#include "lib/mem.h"
#include "session/life.h"
#include "session/sessions.h"
#include "session/taken_out.h"
#include "session/throttle.h"

#define MOMENTS 10		/* intervals that make a second, or more if a work is late */
#define MOST_AT_ONCE 64		/* functions removed in one interval */
#define LOOK_AT_ONCE 256	/* functions between two cond_resched() */

struct throttled {
	u64 entries;		/* total at the end of the last interval */
	u64 calls;		/* in the last interval */
};

struct kt_throttle {
	struct kt_session *session;
	struct delayed_work work;	/* holds a reference to the session while queued */
	u32 generation;			/* of the figures that "entries" come from */
	u64 last;			/* end of the last interval, ns; 0: not started */
	u64 cost[MOMENTS];		/* of the last intervals, ns ... */
	u64 length[MOMENTS];		/* ... and their lengths, ns */
	u32 at;				/* index of the oldest interval */
	u64 own_call;			/* cost of the module for an entry and a return, ns */
	bool has_news;			/* functions are being removed; a notice is due */
	u32 leaving[MOST_AT_ONCE];
	struct throttled funcs[];
};

static size_t throttle_len_of(const struct kt_session *session)
{
	return sizeof(struct kt_throttle) +
	       session->config.nr_funcs * sizeof(struct throttled);
}

/* --- what it costs ------------------------------------------------------------ */

static u64 throttle_entries_of(const struct kt_figures *figures, u32 func)
{
	const struct kt_hist *hist;
	u64 entries = 0;
	int cpu;

	for_each_possible_cpu(cpu) {
		hist = figures->hist ? READ_ONCE(figures->hist[cpu][func]) : NULL;
		entries += hist ? READ_ONCE(hist->entries) : 0;
	}
	return entries;
}

/* Returns the cost of its calls, ns. A call whose return is not probed has one hit. */
static u64 throttle_cost_of(const struct kt_throttle *throttle, u32 func)
{
	const struct kt_session *session = throttle->session;
	const struct ktrace_func *desc = &session->hot.funcs[func].desc;
	u64 each = desc->traits & KTRACE_TRAIT_STEPPED ? session->costs.stepped :
							session->costs.entry;

	if (desc->ret == KTRACE_RETURN_NONE || desc->ret == KTRACE_RETURN_UNSEEN)
		each += throttle->own_call / 2;
	else
		each += session->costs.ret + throttle->own_call;
	return throttle->funcs[func].calls * each;
}

static u64 throttle_count(struct kt_throttle *throttle, const struct kt_figures *figures)
{
	struct kt_session *session = throttle->session;
	struct throttled *one = throttle->funcs;
	u32 func, nr = READ_ONCE(session->nr_used);
	u64 entries, cost = 0;

	throttle->own_call = kt_costs_own_call(session);
	for (func = 0; func < nr; func++, one++) {
		if (func % LOOK_AT_ONCE == 0)
			cond_resched();
		entries = throttle_entries_of(figures, func);
		/* After a reset the new figures begin at 0. */
		one->calls = entries -
			(throttle->generation == figures->generation ? one->entries : 0);
		one->entries = entries;
		cost += throttle_cost_of(throttle, func);
	}
	throttle->generation = figures->generation;
	return cost;
}

static u64 throttle_look(struct kt_throttle *throttle)
{
	struct kt_figures *figures = kt_session_figures(throttle->session, false);
	u64 cost;

	if (!figures)
		return 0;
	cost = throttle_count(throttle, figures);
	kt_figures_put(figures);
	return cost;
}

static bool throttle_is_too_much(const struct kt_throttle *throttle, u64 cost, u64 length)
{
	return cost * 1000 > (u64)throttle->session->config.budget * length;
}

static bool throttle_is_beyond(const struct kt_throttle *throttle)
{
	u64 cost = 0, length = 0;
	u32 i;

	for (i = 0; i < MOMENTS; i++) {
		cost += throttle->cost[i];
		length += throttle->length[i];
	}
	return throttle_is_too_much(throttle, cost, max_t(u64, length, NSEC_PER_SEC));
}

/* --- what is removed ------------------------------------------------------------ */

static u32 throttle_costliest(const struct kt_throttle *throttle)
{
	u32 func, nr = READ_ONCE(throttle->session->nr_used), found = nr;
	u64 cost, most = 0;

	for (func = 0; func < nr; func++) {
		if (func % LOOK_AT_ONCE == 0)
			cond_resched();
		if (!throttle->funcs[func].calls || throttle->session->hot.funcs[func].is_gone)
			continue;
		cost = throttle_cost_of(throttle, func);
		if (found == nr || cost > most) {
			found = func;
			most = cost;
		}
	}
	return found;
}

static void throttle_take_note(struct kt_throttle *throttle, u32 func, u64 length)
{
	const struct ktrace_taken_out note = {
		.time = throttle->last,
		.calls = throttle->funcs[func].calls,
		.cost_ns = throttle_cost_of(throttle, func),
		.moment_ns = length,
	};

	kt_taken_out_set(throttle->session, func, &note);
}

/* Chooses functions to remove, until the others are within the budget. */
static u32 throttle_choose(struct kt_throttle *throttle, u64 cost, u64 length)
{
	u32 nr = 0, func;

	while (nr < MOST_AT_ONCE && throttle_is_too_much(throttle, cost, length)) {
		func = throttle_costliest(throttle);
		if (func == READ_ONCE(throttle->session->nr_used))
			break;
		throttle_take_note(throttle, func, length);
		cost -= throttle_cost_of(throttle, func);
		throttle->funcs[func].calls = 0;
		throttle->leaving[nr++] = func;
	}
	return nr;
}

/* If a command is changing the session, the next interval tries again. */
static void throttle_take_out(struct kt_throttle *throttle, u64 cost, u64 length)
{
	u32 nr = throttle_choose(throttle, cost, length), i;

	if (nr && !kt_session_take_out(throttle->session, throttle->leaving, nr)) {
		memset(throttle->cost, 0, sizeof(throttle->cost));
		throttle->has_news = true;
		return;
	}
	for (i = 0; i < nr; i++)
		kt_taken_out_forget(throttle->session, throttle->leaving[i]);
}

/* Sends the notice when the functions have been removed. */
static void throttle_tell(struct kt_throttle *throttle)
{
	const struct kt_event event = {
		.session = throttle->session->id, .what = KTRACE_EVENT_TAKEN_OUT,
	};

	if (!throttle->has_news ||
	    READ_ONCE(throttle->session->life->state) == KTRACE_STATE_CHANGING)
		return;
	throttle->has_news = false;
	kt_event_tell(&event);
}

/* --- its work ------------------------------------------------------------------ */

static void throttle_queue(struct kt_throttle *throttle)
{
	kref_get(&throttle->session->life->ref);
	if (!queue_delayed_work(kt_queue, &throttle->work, HZ / MOMENTS))
		kt_session_put(throttle->session);
}

static void throttle_work(struct work_struct *work)
{
	struct kt_throttle *throttle = container_of(to_delayed_work(work), struct kt_throttle,
						    work);
	struct kt_session *session = throttle->session;
	u64 now = ktime_get_ns(), length = now - throttle->last, cost = throttle_look(throttle);

	throttle_tell(throttle);
	throttle->last = now;
	throttle->cost[throttle->at] = cost;
	throttle->length[throttle->at] = length;
	throttle->at = (throttle->at + 1) % MOMENTS;
	if (throttle_is_beyond(throttle))
		throttle_take_out(throttle, cost, length);
	if (!kt_session_is_cancelled(session))
		throttle_queue(throttle);
	kt_session_put(session);
}

int kt_throttle_create(struct kt_session *session)
{
	struct kt_throttle *throttle;

	if (!session->config.budget)
		return 0;
	throttle = kt_mem_alloc(throttle_len_of(session));
	if (!throttle)
		return -ENOMEM;
	throttle->session = session;
	INIT_DELAYED_WORK(&throttle->work, throttle_work);
	session->life->throttle = throttle;
	return 0;
}

void kt_throttle_free(struct kt_session *session)
{
	if (session->life->throttle)
		kt_mem_free(session->life->throttle, throttle_len_of(session));
}

void kt_throttle_begin(struct kt_session *session)
{
	struct kt_throttle *throttle = session->life->throttle;

	if (!throttle || throttle->last)
		return;
	/* Ignore calls that were made while probes were being planted. */
	throttle_look(throttle);
	throttle->last = ktime_get_ns();
	throttle_queue(throttle);
}

void kt_throttle_end(struct kt_session *session)
{
	struct kt_throttle *throttle = session->life->throttle;

	if (!throttle)
		return;
	if (cancel_delayed_work_sync(&throttle->work))
		kt_session_put(session);
	throttle_tell(throttle);
}
