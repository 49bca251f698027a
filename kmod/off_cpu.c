// SPDX-License-Identifier: GPL-2.0
/*
 * How long tasks are off their CPUs, of those that somebody asked about. What is kept of a
 * task is one word, so that whoever reads it need not wait for who writes it:
 *
 *	on its CPU	ticks that it was off so far          << 1
 *	off it		the same, less when it left           << 1 | AWAY
 */
#include <linux/gfp.h>
#include <linux/sched.h>

#include "compat.h"
#include "off_cpu.h"
#include "task_table.h"
#include "ticks.h"

#define AWAY 1ULL
#define MASK (~0ULL >> 1)	/* of ticks that have lost a bit to that */

struct off_task {
	struct kt_task_entry entry;
	u64 id;
	u64 word;
};

static struct kt_task_table tasks;
static bool is_on;

static struct off_task *find(const struct task_struct *of)
{
	struct kt_task_entry *entry = kt_task_table_find(&tasks, of);

	return entry ? container_of(entry, struct off_task, entry) : NULL;
}

static struct off_task *make(void)
{
	struct kt_task_entry *entry;
	struct off_task *task;

	kt_pool_refill(&tasks.pool, GFP_NOWAIT);
	entry = kt_task_table_add(&tasks, current);
	if (!entry)
		return NULL;
	task = container_of(entry, struct off_task, entry);
	task->id = kt_ticks();
	return task;
}

struct kt_off_mark kt_off_cpu_mark(void)
{
	struct kt_off_mark mark = { NULL };
	struct off_task *task;

	if (!READ_ONCE(is_on))
		return mark;
	task = find(current);
	if (!task)
		task = make();
	if (task) {
		mark.task = current;
		mark.id = task->id;
		mark.ticks = task->word >> 1;
	}
	return mark;
}

/* Clocks of CPUs may differ by a little. */
u64 kt_off_cpu_since(const struct kt_off_mark *mark, u64 now)
{
	const struct off_task *task = mark->task ? find(mark->task) : NULL;
	u64 word, ticks;

	if (!task || task->id != mark->id)
		return KT_OFF_UNKNOWN;
	word = READ_ONCE(task->word);
	ticks = ((word >> 1) + (word & AWAY ? now : 0) - mark->ticks) & MASK;
	return ticks > MASK / 2 ? 0 : ticks;
}

void kt_off_cpu_ended(void)
{
	if (READ_ONCE(is_on))
		kt_task_table_drop(&tasks, current);
}

/* --- switches: interrupts off, a task is on one side of one of them ----------- */

static KT_ON_SWITCH(on_switch, prev, next)
{
	struct off_task *task;
	u64 now;

	rcu_read_lock_sched();
	now = kt_ticks();
	task = find(prev);
	if (task)
		WRITE_ONCE(task->word, ((task->word >> 1) - now) << 1 | AWAY);
	task = find(next);
	if (task && task->word & AWAY)
		WRITE_ONCE(task->word, ((task->word >> 1) + now) << 1);
	rcu_read_unlock_sched();
}

static struct kt_tracepoint probes[] = { { "sched_switch", on_switch } };

int kt_off_cpu_begin(void)
{
	int error = kt_tracepoints_attach(probes, ARRAY_SIZE(probes));

	WRITE_ONCE(is_on, !error);
	return error;
}

void kt_off_cpu_end(void)
{
	WRITE_ONCE(is_on, false);
	kt_tracepoints_detach(probes, ARRAY_SIZE(probes));
	kt_wait_for_hits();
	kt_task_table_clear(&tasks);
}

void kt_off_cpu_init(void)
{
	kt_task_table_init(&tasks, sizeof(struct off_task), 16);
}
