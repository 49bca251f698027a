// SPDX-License-Identifier: GPL-2.0
/*
 * A session with a budget: ten times a second its functions' calls are looked at, and what their
 * hits have cost the programs. If that was more in the last second than the budget, the
 * functions that cost most are taken out, until the rest would stay below it.
 */
#include <linux/cpumask.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "costs.h"
#include "figures.h"
#include "genl.h"
#include "hist.h"
#include "mem.h"
#include "session.h"
#include "throttle.h"

#define MOMENTS 10		/* of a second */
#define MOST_AT_ONCE 64		/* that leave in one moment */
#define EDITOR (~0ULL)		/* no socket has this number */

struct kt_throttle {
	struct kt_session *session;
	struct delayed_work work;	/* queued, it holds a reference of the session */
	u32 generation;			/* of the figures that "entries" are of */
	u64 last;			/* when it looked last, ns */
	u64 cost[MOMENTS];		/* of the last ones, ns */
	u32 at;				/* the oldest of them */
	u64 call_cost;			/* ns, of one call */
	u32 leaving[MOST_AT_ONCE];
	struct func {
		u64 entries;		/* so many by then */
		u64 calls;		/* in this moment */
		struct ktrace_taken_out taken_out;	/* time 0: it was not */
	} funcs[];
};

static size_t len_of(const struct kt_session *session)
{
	return sizeof(struct kt_throttle) + session->config.nr_funcs * sizeof(struct func);
}

/* --- what it costs ------------------------------------------------------------ */

static u64 entries_of(const struct kt_figures *figures, u32 func)
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

static u64 cost_of(const struct kt_throttle *throttle, u32 func)
{
	const struct kt_session *session = throttle->session;
	u64 each = throttle->call_cost;

	if (session->funcs[func].desc.is_stepped)
		each += session->costs.stepped - session->costs.entry;
	return throttle->funcs[func].calls * each;
}

static u64 count(struct kt_throttle *throttle, struct kt_figures *figures)
{
	struct kt_session *session = throttle->session;
	u32 func, nr = READ_ONCE(session->nr_used);
	u64 entries, cost = 0;

	throttle->call_cost = session->costs.entry + session->costs.ret +
			      kt_costs_own(session, false) + kt_costs_own(session, true);
	for (func = 0; func < nr; func++) {
		entries = entries_of(figures, func);
		throttle->funcs[func].calls = entries - throttle->funcs[func].entries;
		throttle->funcs[func].entries = entries;
		cost += cost_of(throttle, func);
	}
	return cost;
}

/* A reset begins at 0 again. */
static u64 look(struct kt_throttle *throttle)
{
	struct kt_session *session = throttle->session;
	struct kt_figures *figures = kt_session_figures(session, false);
	u32 func;
	u64 cost;

	if (!figures)
		return 0;
	if (throttle->generation != session->generation)
		for (func = 0; func < session->config.nr_funcs; func++)
			throttle->funcs[func].entries = 0;
	throttle->generation = session->generation;
	cost = count(throttle, figures);
	kt_figures_put(figures);
	return cost;
}

static bool is_too_much(const struct kt_throttle *throttle, u64 cost, u64 length)
{
	return cost * 1000 > (u64)throttle->session->config.budget * length;
}

static bool is_beyond(const struct kt_throttle *throttle)
{
	u64 cost = 0;
	u32 i;

	for (i = 0; i < MOMENTS; i++)
		cost += throttle->cost[i];
	return is_too_much(throttle, cost, NSEC_PER_SEC);
}

/* --- who leaves --------------------------------------------------------------- */

static u32 costliest(const struct kt_throttle *throttle)
{
	u32 func, nr = READ_ONCE(throttle->session->nr_used), found = nr;

	for (func = 0; func < nr; func++)
		if (throttle->funcs[func].calls && !throttle->session->funcs[func].is_gone &&
		    (found == nr || cost_of(throttle, func) > cost_of(throttle, found)))
			found = func;
	return found;
}

static void take_note(struct kt_throttle *throttle, u32 func, u64 length)
{
	struct ktrace_taken_out *taken_out = &throttle->funcs[func].taken_out;

	taken_out->calls = throttle->funcs[func].calls;
	taken_out->cost_ns = cost_of(throttle, func);
	taken_out->moment_ns = length;
	WRITE_ONCE(taken_out->time, throttle->last);
}

/* Until what is left would fit, at least one. */
static u32 choose(struct kt_throttle *throttle, u64 cost, u64 length)
{
	u32 nr = 0, func;

	while (nr < MOST_AT_ONCE && (!nr || is_too_much(throttle, cost, length))) {
		func = costliest(throttle);
		if (func == READ_ONCE(throttle->session->nr_used))
			break;
		take_note(throttle, func, length);
		cost -= cost_of(throttle, func);
		throttle->funcs[func].calls = 0;
		throttle->leaving[nr++] = func;
	}
	return nr;
}

static int remove(struct kt_throttle *throttle, u32 nr)
{
	const struct kt_session_change nothing = { .nr_pids = 0 };
	struct kt_edit edit = {
		.socket = EDITOR, .list = throttle->leaving, .nr_listed = nr,
	};
	int error = kt_session_edit(throttle->session, &edit);

	return error ? error : kt_session_commit(throttle->session, EDITOR, &nothing);
}

/* Somebody else may be changing the session: then in the next moment. */
static void take_out(struct kt_throttle *throttle, u64 cost, u64 length)
{
	u32 nr = choose(throttle, cost, length), i;

	if (nr && !remove(throttle, nr)) {
		memset(throttle->cost, 0, sizeof(throttle->cost));
		kt_genl_notify(throttle->session->id, KTRACE_EVENT_TAKEN_OUT, 0, 0);
		return;
	}
	for (i = 0; i < nr; i++)
		WRITE_ONCE(throttle->funcs[throttle->leaving[i]].taken_out.time, 0);
}

/* --- its work ------------------------------------------------------------------ */

static void queue(struct kt_throttle *throttle)
{
	kref_get(&throttle->session->ref);
	queue_delayed_work(kt_queue, &throttle->work, HZ / MOMENTS);
}

static void throttle_work(struct work_struct *work)
{
	struct kt_throttle *throttle = container_of(to_delayed_work(work), struct kt_throttle,
						    work);
	struct kt_session *session = throttle->session;
	u64 now = ktime_get_ns(), length = now - throttle->last, cost = look(throttle);

	throttle->last = now;
	throttle->cost[throttle->at] = cost;
	throttle->at = (throttle->at + 1) % MOMENTS;
	if (is_beyond(throttle))
		take_out(throttle, cost, length);
	if (!kt_session_is_cancelled(session))
		queue(throttle);
	kt_session_put(session);
}

/* A function that was brought back is no longer out. */
bool kt_throttle_took_out(const struct kt_session *session, u32 func,
			  struct ktrace_taken_out *taken_out)
{
	if (!session->throttle || !READ_ONCE(session->funcs[func].is_gone))
		return false;
	*taken_out = session->throttle->funcs[func].taken_out;
	return taken_out->time;
}

int kt_throttle_create(struct kt_session *session)
{
	struct kt_throttle *throttle;

	if (!session->config.budget)
		return 0;
	throttle = kt_mem_alloc(len_of(session));
	if (!throttle)
		return -ENOMEM;
	throttle->session = session;
	INIT_DELAYED_WORK(&throttle->work, throttle_work);
	session->throttle = throttle;
	return 0;
}

void kt_throttle_free(struct kt_session *session)
{
	if (session->throttle)
		kt_mem_free(session->throttle, len_of(session));
}

void kt_throttle_begin(struct kt_session *session)
{
	struct kt_throttle *throttle = session->throttle;

	if (!throttle || throttle->last)
		return;
	throttle->last = ktime_get_ns();
	queue(throttle);
}

void kt_throttle_end(struct kt_session *session)
{
	if (session->throttle && cancel_delayed_work_sync(&session->throttle->work))
		kt_session_put(session);
}
