// SPDX-License-Identifier: GPL-2.0
/*
 * Counters that take samples. Each session has a counter of its own on each CPU, a perf event of
 * the kernel. After so many events as the period says it overflows, and the kernel calls
 * profile_event_overflow():
 *
 *	in an NMI			for a counter of the hardware
 *	where the event happens		for a counter of the kernel
 *
 * Where interrupts are off, but not in an NMI, the sample counts at once: it may be that of a task
 * that leaves the CPU. In all other places it counts by way of a slot (profile_slot.h).
 *
 * The kernel removes the counters of a CPU that goes. When it is back, a work makes new ones: the
 * callback of the CPU may not wait for the locks that this needs.
 *
 * With a fixed period, the number of samples that are due follows from the count. Samples that the
 * kernel did not deliver, because there were too many, are missing. They are counted.
 */
#include <linux/atomic.h>
#include <linux/cpumask.h>
#include <linux/err.h>
#include <linux/hardirq.h>
#include <linux/irqflags.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/percpu.h>
#include <linux/perf_event.h>
#include <linux/smp.h>
#include <linux/string.h>
#include <linux/workqueue.h>

#include "compat/stack.h"
#include "core/session.h"
#include "lib/budget.h"
#include "lib/control.h"
#include "lib/mem.h"
#include "providers/profile_event.h"
#include "providers/profile_sample.h"
#include "providers/profile_slot.h"

struct profile_counter {
	struct perf_event *event;	/* lock of struct kt_profile_events */
	struct kt_profile_events *all;
	bool has_come;			/* the CPU has come since the event was made */
	u64 nr_due;			/* samples that were due until now; on its CPU */
	unsigned long second;
	u32 nr_in_second;		/* samples in this second */
	struct kt_profile_slot slot;
	struct kt_kernel_frames kernel;	/* of a sample that counts at once */
};

struct kt_profile_events {
	struct kt_session *session;
	struct profile_counter __percpu *counters;
	struct perf_event_attr attr;
	u64 period;			/* events; 0: the kernel adapts it to a frequency */
	struct mutex lock;		/* guards the events, and is_on */
	bool is_on;
	u64 nr_without;			/* times that a CPU could not be given a counter; lock */
	struct work_struct work;	/* makes the counters of CPUs that have come */
};

static size_t profile_events_len(void)
{
	return num_possible_cpus() * sizeof(struct profile_counter);
}

/* --- samples ---------------------------------------------------------------- */

/* Returns how many samples are due since the last call. count: events until now. */
static u64 profile_event_due(struct profile_counter *this, u64 count)
{
	u64 nr = div64_u64(count, this->all->period) - this->nr_due;

	this->nr_due += nr;
	return nr;
}

/* A period may be too short: then the samples would take all the time of the CPU. */
static bool profile_event_may_sample(struct profile_counter *this)
{
	unsigned long second = jiffies / HZ;

	if (this->second != second) {
		this->second = second;
		this->nr_in_second = 0;
	}
	return ++this->nr_in_second <= kt_session_most_samples(&this->all->session->config);
}

#define FLAG_ALWAYS_SET (1U << 1)	/* of a CPU; older kernels name it otherwise */

/* Registers of the scheduler's events are made up, without flags. */
static bool profile_event_is_interrupt(const struct pt_regs *regs)
{
	return regs->flags & FLAG_ALWAYS_SET;
}

/*
 * Omits the frames between the event and this function. Returns false if there is no time for a
 * stack: the run queue's lock may be held.
 */
static bool profile_event_take_frames(struct profile_counter *this, const struct pt_regs *regs)
{
	struct kt_kernel_frames *kernel = &this->kernel;
	u32 nr, first = 0;
	u64 start;

	if (!kt_budget_begin(&start))
		return false;
	nr = kt_save_stack(kernel->addrs, ARRAY_SIZE(kernel->addrs));
	while (first < nr && kernel->addrs[first] != regs->ip)
		first++;
	first = first < nr ? first : 0;
	kernel->nr = nr - first;
	memmove(kernel->addrs, kernel->addrs + first, kernel->nr * sizeof(*kernel->addrs));
	kt_budget_end(start);
	return true;
}

static void profile_event_count(struct profile_counter *this, struct pt_regs *regs, u64 weight)
{
	struct kt_profile_sample sample = {
		.regs = regs, .mode = kt_profile_mode(regs), .weight = weight,
	};
	struct kt_session *session = this->all->session;

	if (!profile_event_is_interrupt(regs)) {
		sample.regs = NULL;
		if (session->hot.stacks && sample.mode != KTRACE_PROFILE_IDLE &&
		    profile_event_take_frames(this, regs))
			sample.kernel = &this->kernel;
	}
	kt_profile_sample(session, &sample);
}

static void profile_event_take(struct profile_counter *this, struct pt_regs *regs, u64 weight,
			       bool is_slot)
{
	if (!profile_event_may_sample(this))
		this->slot.missed++;
	else if (is_slot)
		kt_profile_slot_save(&this->slot, regs, weight);
	else
		profile_event_count(this, regs, weight);
}

/* Preemption is off. Interrupts of this CPU cannot change the counter, but NMIs may. */
static void profile_event_overflow(struct perf_event *event, struct perf_sample_data *data,
				   struct pt_regs *regs)
{
	struct profile_counter *this = event->overflow_handler_context;
	bool is_slot = in_nmi() || !irqs_disabled();
	unsigned long flags;
	u64 due = 1;

	local_irq_save(flags);
	if (this->all->period)
		due = profile_event_due(this, local64_read(&event->count));
	if (due) {
		this->slot.missed += due - 1;
		profile_event_take(this, regs, data->period, is_slot);
	}
	if (!in_nmi())
		kt_profile_count_missed(this->all->session, xchg(&this->slot.missed, 0));
	local_irq_restore(flags);
}

/* --- counters --------------------------------------------------------------- */

static void profile_counter_free(struct profile_counter *this)
{
	u64 enabled, running, count;

	if (!this->event)
		return;
	perf_event_disable(this->event);
	count = perf_event_read_value(this->event, &enabled, &running);
	perf_event_release_kernel(this->event);
	this->event = NULL;
	if (this->all->period)
		this->slot.missed += profile_event_due(this, count);
	kt_profile_slot_flush(&this->slot);
}

static int profile_counter_make(struct kt_profile_events *events, int cpu)
{
	struct profile_counter *this = per_cpu_ptr(events->counters, cpu);
	struct perf_event *event;

	WRITE_ONCE(this->has_come, false);
	this->nr_due = 0;
	event = perf_event_create_kernel_counter(&events->attr, cpu, NULL, profile_event_overflow,
						 this);
	if (IS_ERR(event))
		return PTR_ERR(event);
	this->event = event;
	return 0;
}

/*
 * Makes the counters that are missing, of CPUs that are online. The caller holds the lock. Returns
 * the first error; other CPUs have their counters then.
 */
static int profile_events_make(struct kt_profile_events *events)
{
	int cpu, error, first_error = 0;
	struct profile_counter *this;

	for_each_online_cpu(cpu) {
		this = per_cpu_ptr(events->counters, cpu);
		if (READ_ONCE(this->has_come))
			profile_counter_free(this);
		if (this->event)
			continue;
		error = profile_counter_make(events, cpu);
		if (this->event && events->is_on)
			perf_event_enable(this->event);
		if (!error || error == -ENODEV)
			continue;
		events->nr_without += events->is_on;
		if (!first_error)
			first_error = error == -ENOENT ? -EOPNOTSUPP : error;
	}
	return first_error;
}

static void profile_events_free(struct kt_profile_events *events)
{
	int cpu;

	for_each_possible_cpu(cpu)
		profile_counter_free(per_cpu_ptr(events->counters, cpu));
}

static void profile_events_work(struct work_struct *work)
{
	struct kt_profile_events *events = container_of(work, struct kt_profile_events, work);

	mutex_lock(&events->lock);
	if (events->is_on)
		profile_events_make(events);
	mutex_unlock(&events->lock);
}

u64 kt_profile_events_missed(struct kt_profile_events *events)
{
	return READ_ONCE(events->nr_without);
}

void kt_profile_events_cpu_came(struct kt_profile_events *events)
{
	/* An event that was made before lost its place when the CPU went. */
	WRITE_ONCE(this_cpu_ptr(events->counters)->has_come, true);
	queue_work(kt_queue, &events->work);
}

/* --- sessions ---------------------------------------------------------------- */

int kt_profile_events_begin(struct kt_profile_events *events)
{
	int error;

	mutex_lock(&events->lock);
	error = profile_events_make(events);
	if (error)
		profile_events_free(events);
	mutex_unlock(&events->lock);
	return error;
}

/* A CPU that has come since begin() gets its counter here. */
void kt_profile_events_start(struct kt_profile_events *events)
{
	int cpu;

	mutex_lock(&events->lock);
	for_each_possible_cpu(cpu)
		if (per_cpu_ptr(events->counters, cpu)->event)
			perf_event_enable(per_cpu_ptr(events->counters, cpu)->event);
	events->is_on = true;
	profile_events_make(events);
	mutex_unlock(&events->lock);
}

void kt_profile_events_stop(struct kt_profile_events *events)
{
	mutex_lock(&events->lock);
	events->is_on = false;
	profile_events_free(events);
	mutex_unlock(&events->lock);
}

void kt_profile_events_end(struct kt_profile_events *events)
{
	cancel_work_sync(&events->work);
}

static void profile_events_set_attr(struct kt_profile_events *events)
{
	const struct kt_session_config *config = &events->session->config;
	struct perf_event_attr *attr = &events->attr;

	attr->size = sizeof(*attr);
	attr->type = config->event.type;
	attr->config = config->event.config;
	attr->disabled = 1;
	attr->freq = !config->event.period;
	if (attr->freq)
		attr->sample_freq = config->frequency;
	else
		attr->sample_period = config->event.period;
}

struct kt_profile_events *kt_profile_events_create(struct kt_session *session)
{
	struct kt_profile_events *events = kt_mem_alloc(sizeof(*events));
	struct profile_counter *this;
	int cpu;

	if (!events)
		return NULL;
	if (!kt_mem_charge(profile_events_len()))
		goto free;
	events->counters = alloc_percpu(struct profile_counter);
	if (!events->counters)
		goto uncharge;
	events->session = session;
	events->period = session->config.event.period;
	mutex_init(&events->lock);
	INIT_WORK(&events->work, profile_events_work);
	profile_events_set_attr(events);
	for_each_possible_cpu(cpu) {
		this = per_cpu_ptr(events->counters, cpu);
		this->all = events;
		kt_profile_slot_init(&this->slot, session, cpu);
	}
	return events;

uncharge:
	kt_mem_uncharge(profile_events_len());
free:
	kt_mem_free(events, sizeof(*events));
	return NULL;
}

void kt_profile_events_put(struct kt_profile_events *events)
{
	if (!events)
		return;
	free_percpu(events->counters);
	kt_mem_uncharge(profile_events_len());
	kt_mem_free(events, sizeof(*events));
}
