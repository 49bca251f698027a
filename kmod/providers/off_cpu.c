// SPDX-License-Identifier: GPL-2.0
/* How long tasks are off the CPU, for the tasks that were marked. */
#include <linux/gfp.h>
#include <linux/sched.h>
#include <trace/events/sched.h>

#include "compat/rcu.h"
#include "compat/sched.h"
#include "compat/tracepoint.h"
#include "lib/task_table.h"
#include "lib/ticks.h"
#include "providers/off_cpu.h"
#include "providers/off_word.h"

struct off_task {
	struct kt_task_entry entry;
	u64 id;
	u64 word;	/* as in off_word.h */
};

static struct kt_task_table tasks;
static bool is_on;

static struct off_task *off_cpu_find(const struct task_struct *of)
{
	struct kt_task_entry *entry = kt_task_table_find(&tasks, of);

	return entry ? container_of(entry, struct off_task, entry) : NULL;
}

static struct off_task *off_cpu_make(void)
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
	task = off_cpu_find(current);
	/* A task closes its files after its exit is seen: a new entry would never be dropped. */
	if (!task && !(current->flags & PF_EXITING))
		task = off_cpu_make();
	if (task) {
		mark.task = current;
		mark.id = task->id;
		mark.ticks = task->word >> 1;
	}
	return mark;
}

u64 kt_off_cpu_since(const struct kt_off_mark *mark, u64 now)
{
	const struct off_task *task = mark->task ? off_cpu_find(mark->task) : NULL;

	if (!task || task->id != mark->id)
		return KT_OFF_UNKNOWN;
	return kt_off_word_ticks(READ_ONCE(task->word), now, mark->ticks);
}

/* --- switches --------------------------------------------------------------- */

static u64 *off_cpu_word_of(const struct task_struct *of)
{
	struct off_task *task = off_cpu_find(of);

	return task ? &task->word : NULL;
}

static KT_ON_SWITCH(off_cpu_on_switch, prev, next)
{
	kt_off_word_switch(off_cpu_word_of, prev, next);
}

static struct kt_tracepoint probes[] = { KT_TRACEPOINT(sched_switch, off_cpu_on_switch) };

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
