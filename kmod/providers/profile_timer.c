// SPDX-License-Identifier: GPL-2.0
/*
 * Timers that take samples. Each session has a timer of its own on each CPU, which stays there:
 *
 *	start		all CPUs that are online start theirs, and no CPU comes or goes meanwhile
 *	a CPU comes	it starts the timers of all sessions on the list, unless they run
 *	a CPU goes	it stops them
 *	stop		no CPU starts any more; all timers are cancelled, and their handlers awaited
 *
 * Expiries of a timer are on a grid, so the number of samples that are due follows from the time.
 * If the timer comes late by whole periods, because interrupts were off or a hypervisor ran
 * something else, the samples in between are missing. They are counted. The grids of CPUs differ,
 * so that the CPUs do not sample in step.
 *
 * The clock stands still in suspend, so no samples are due then.
 */
#include <linux/cpumask.h>
#include <linux/errno.h>
#include <linux/ktime.h>
#include <linux/percpu.h>
#include <linux/rcupdate.h>
#include <linux/smp.h>

#include <asm/irq_regs.h>

#include "compat/hotplug.h"
#include "compat/hrtimer.h"
#include "core/session.h"
#include "lib/mem.h"
#include "lib/ticks.h"
#include "providers/profile_sample.h"
#include "providers/profile_timer.h"

struct profile_timer {
	struct hrtimer timer;
	struct kt_profile_timers *all;
	int cpu;
	bool is_running;	/* changed on its CPU, interrupts off */
};

struct kt_profile_timers {
	struct kt_session *session;
	struct profile_timer __percpu *timers;
	u64 period;		/* ns */
	bool is_on;		/* changed while no CPU comes or goes */
};

static size_t profile_timers_len(void)
{
	return num_possible_cpus() * sizeof(struct profile_timer);
}

/* --- samples ---------------------------------------------------------------- */

/*
 * Sets the timer to the next moment of its grid. Returns how many moments have passed meanwhile.
 * hrtimer_forward() would count in ticks on a machine without timers of high resolution.
 */
static u64 profile_timer_forward(struct hrtimer *timer, u64 period)
{
	s64 late = -ktime_to_ns(hrtimer_expires_remaining(timer));
	u64 missed = late < (s64)period ? 0 : div64_u64(late, period);

	hrtimer_add_expires_ns(timer, (missed + 1) * period);
	return missed;
}

/* A timer whose CPU has gone without stopping it does not go on elsewhere. */
static enum hrtimer_restart profile_timer_expire(struct hrtimer *timer)
{
	struct profile_timer *this = container_of(timer, struct profile_timer, timer);
	struct kt_profile_timers *all = this->all;
	struct kt_profile_sample sample = { .regs = get_irq_regs(), .weight = all->period };

	if (unlikely(this->cpu != smp_processor_id()))
		return HRTIMER_NORESTART;
	sample.mode = kt_profile_mode(sample.regs);
	kt_profile_sample(all->session, &sample);
	kt_profile_count_missed(all->session, profile_timer_forward(timer, all->period));
	return HRTIMER_RESTART;
}

/* --- CPUs that start and stop; on the CPU, interrupts off -------------------- */

static void profile_timer_start_here(void *arg)
{
	struct kt_profile_timers *all = arg;
	struct profile_timer *this = this_cpu_ptr(all->timers);

	if (!READ_ONCE(all->is_on) || this->is_running)
		return;
	this->is_running = true;
	hrtimer_start(&this->timer,
		      ns_to_ktime(all->period * (this->cpu + 1) / nr_cpu_ids), KT_TIMER_MODE);
}

/* Samples that were due but could not be taken any more are missing. */
static void profile_timer_stop_here(void *arg)
{
	struct kt_profile_timers *all = arg;
	struct profile_timer *this = this_cpu_ptr(all->timers);
	s64 late;

	if (!this->is_running)
		return;
	this->is_running = false;
	hrtimer_cancel(&this->timer);
	late = -ktime_to_ns(hrtimer_expires_remaining(&this->timer));
	if (late >= 0)
		kt_profile_count_missed(all->session, 1 + div64_u64(late, all->period));
}

void kt_profile_timers_cpu_came(struct kt_profile_timers *timers)
{
	profile_timer_start_here(timers);
}

void kt_profile_timers_cpu_goes(struct kt_profile_timers *timers)
{
	profile_timer_stop_here(timers);
}

/* --- sessions ---------------------------------------------------------------- */

void kt_profile_timers_start(struct kt_profile_timers *timers)
{
	kt_hotplug_lock();
	WRITE_ONCE(timers->is_on, true);
	on_each_cpu(profile_timer_start_here, timers, 1);
	kt_hotplug_unlock();
}

void kt_profile_timers_stop(struct kt_profile_timers *timers)
{
	kt_hotplug_lock();
	WRITE_ONCE(timers->is_on, false);
	on_each_cpu(profile_timer_stop_here, timers, 1);
	kt_hotplug_unlock();
}

static void profile_timers_init(struct kt_profile_timers *timers)
{
	struct profile_timer *this;
	int cpu;

	for_each_possible_cpu(cpu) {
		this = per_cpu_ptr(timers->timers, cpu);
		this->all = timers;
		this->cpu = cpu;
		kt_hrtimer_init(&this->timer, profile_timer_expire);
	}
}

struct kt_profile_timers *kt_profile_timers_create(struct kt_session *session)
{
	struct kt_profile_timers *timers = kt_mem_alloc(sizeof(*timers));

	if (!timers)
		return NULL;
	if (!kt_mem_charge(profile_timers_len()))
		goto free;
	timers->timers = alloc_percpu(struct profile_timer);
	if (!timers->timers)
		goto uncharge;
	timers->session = session;
	timers->period = NSEC_PER_SEC / session->config.frequency;
	profile_timers_init(timers);
	return timers;

uncharge:
	kt_mem_uncharge(profile_timers_len());
free:
	kt_mem_free(timers, sizeof(*timers));
	return NULL;
}

void kt_profile_timers_put(struct kt_profile_timers *timers)
{
	if (!timers)
		return;
	free_percpu(timers->timers);
	kt_mem_uncharge(profile_timers_len());
	kt_mem_free(timers, sizeof(*timers));
}
