// SPDX-License-Identifier: GPL-2.0
/*
 * The budget of a session. Fifty times a second, a work compares what hits have cost the programs
 * in the last second with the budget. If it is more, the work removes the most expensive functions,
 * until the other functions are within the budget. It begins with the first probe that is planted,
 * and waits for no command.
 *
 * Hits add up their cost themselves (costs.c), one sum for the session and one for each function.
 * So a look at the session reads one number; the functions are read once a second.
 */
#include <linux/atomic.h>
#include <linux/jiffies.h>
#include <linux/kernel.h>
#include <linux/ktime.h>
#include <linux/math64.h>
#include <linux/sched.h>
#include <linux/timekeeping.h>
#include <linux/workqueue.h>

#include "core/costs.h"
#include "core/event.h"
#include "lib/mem.h"
#include "session/life.h"
#include "session/sessions.h"
#include "session/taken_out.h"
#include "session/throttle.h"

#define MOMENTS 50		/* intervals that make a second, or more if a work is late */
#define MOST_AT_ONCE 64		/* functions removed in one interval */
#define LOOK_AT_ONCE 256	/* functions between two cond_resched() */

/* What a function had cost at two times: the costs since the earlier one are compared. */
struct throttled {
	u64 earlier;
	u64 later;
};

struct kt_throttle {
	struct kt_session *session;
	struct delayed_work work;	/* holds a reference to the session while queued */
	u64 last;			/* end of the last interval, ns; 0: not started */
	u64 spent;			/* total at the end of the last interval, ns */
	u64 cost[MOMENTS];		/* of the last intervals, ns ... */
	u64 length[MOMENTS];		/* ... and their lengths, ns */
	u32 at;				/* index of the oldest interval */
	u64 earlier, later;		/* times of the costs in funcs, ns; a second apart */
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

static u64 throttle_spent_of(const struct kt_throttle *throttle, u32 func)
{
	return atomic64_read(&throttle->session->spent->func[func]);
}

/* Returns the cost of a function since the earlier time, ns; 0 if it is removed. */
static u64 throttle_cost_of(const struct kt_throttle *throttle, u32 func)
{
	if (throttle->session->hot.funcs[func].is_gone)
		return 0;
	return throttle_spent_of(throttle, func) - throttle->funcs[func].earlier;
}

static u64 throttle_sum(const struct kt_throttle *throttle)
{
	u32 func, nr = READ_ONCE(throttle->session->nr_used);
	u64 sum = 0;

	for (func = 0; func < nr; func++) {
		if (func % LOOK_AT_ONCE == 0)
			cond_resched();
		sum += throttle_cost_of(throttle, func);
	}
	return sum;
}

/* Once a second, the later costs become the earlier ones. */
static void throttle_mark(struct kt_throttle *throttle, u64 now)
{
	struct throttled *one = throttle->funcs;
	u32 func, nr = READ_ONCE(throttle->session->nr_used);

	if (now - throttle->later < NSEC_PER_SEC)
		return;
	throttle->earlier = throttle->later;
	throttle->later = now;
	for (func = 0; func < nr; func++, one++) {
		if (func % LOOK_AT_ONCE == 0)
			cond_resched();
		one->earlier = one->later;
		one->later = throttle_spent_of(throttle, func);
	}
}

/* Adds an interval, and drops the oldest one. */
static void throttle_look(struct kt_throttle *throttle, u64 now)
{
	u64 spent = atomic64_read(&throttle->session->spent->total);

	throttle->cost[throttle->at] = spent - throttle->spent;
	throttle->length[throttle->at] = now - throttle->last;
	throttle->at = (throttle->at + 1) % MOMENTS;
	throttle->spent = spent;
	throttle->last = now;
}

/* Returns the cost in the last second, or a little longer, in thousandths of the budget's. */
static u64 throttle_use(const struct kt_throttle *throttle)
{
	u64 cost = 0, length = 0, most;
	u32 i;

	for (i = 0; i < MOMENTS; i++) {
		cost += throttle->cost[i];
		length += throttle->length[i];
	}
	most = (u64)throttle->session->config.budget * max_t(u64, length, NSEC_PER_SEC) / 1000;
	return div64_u64(cost * 1000, most);
}

/* --- what is removed ------------------------------------------------------------ */

static u32 throttle_costliest(const struct kt_throttle *throttle)
{
	u32 func, nr = READ_ONCE(throttle->session->nr_used), found = nr;
	u64 cost, most = 0;

	for (func = 0; func < nr; func++) {
		if (func % LOOK_AT_ONCE == 0)
			cond_resched();
		cost = throttle_cost_of(throttle, func);
		if (cost > most) {
			found = func;
			most = cost;
		}
	}
	return found;
}

static void throttle_take_note(struct kt_throttle *throttle, u32 func)
{
	struct kt_session *session = throttle->session;
	const struct ktrace_func *desc = &session->hot.funcs[func].desc;
	u64 cost = throttle_cost_of(throttle, func);
	const struct ktrace_taken_out note = {
		.time = throttle->last,
		.calls = div64_u64(cost, max_t(u64, kt_costs_of_call(session, desc), 1)),
		.cost_ns = cost,
		.moment_ns = throttle->last - throttle->earlier,
	};

	kt_taken_out_set(session, func, &note);
}

#define ENOUGH 1000	/* use of a session within its budget, see throttle_use() */

/*
 * Removes functions until the use of the others is within the budget. Each function has the part of
 * the use that it has of the costs since the earlier time.
 */
static void throttle_take_out(struct kt_throttle *throttle, u64 use)
{
	u64 sum = throttle_sum(throttle), left = sum, share = 1000, cost;
	u32 nr = 0, func, i;

	while (nr < MOST_AT_ONCE && sum && use * share > ENOUGH * 1000) {
		func = throttle_costliest(throttle);
		cost = func < READ_ONCE(throttle->session->nr_used) ?
			throttle_cost_of(throttle, func) : 0;
		if (!cost)
			break;
		throttle_take_note(throttle, func);
		/* Not chosen again. A hit may have added to it meanwhile. */
		throttle->funcs[func].earlier += cost;
		left -= min(cost, left);
		share = div64_u64(left * 1000, sum);
		throttle->leaving[nr++] = func;
	}
	if (!nr)
		return;
	kt_session_take_out(throttle->session, throttle->leaving, nr);
	for (i = 0; i < MOMENTS; i++)
		throttle->cost[i] = throttle->cost[i] * share / 1000;
	throttle->has_news = true;
}

/* Sends the notice when the functions have been removed. */
static void throttle_tell(struct kt_throttle *throttle)
{
	const struct kt_event event = {
		.session = throttle->session->id, .what = KTRACE_EVENT_TAKEN_OUT,
	};

	if (!throttle->has_news || kt_session_has_costly(throttle->session))
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
	u64 now = ktime_get_ns(), use;

	throttle_tell(throttle);
	throttle_look(throttle, now);
	use = throttle_use(throttle);
	if (use > ENOUGH)
		throttle_take_out(throttle, use);
	throttle_mark(throttle, now);
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
	throttle->last = ktime_get_ns();
	throttle->earlier = throttle->last;
	throttle->later = throttle->last;
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
