// SPDX-License-Identifier: GPL-2.0
/*
 * A stream reports forks, executed programs, and threads that end. Other data is read from /proc
 * when a thread is first seen; the thread may have ended by then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "report/tasks.h"
#include "util/hash.h"
#include "util/lines.h"
#include "util/number.h"

#define INITIAL_NAMESPACE 0xEFFFFFFCU	/* PROC_PID_INIT_INO, the same on all kernels */

#define MOST_RECORDED (1 << 18)	/* threads of a recording */

struct known_task {
	struct task task;
	UT_hash_handle hh;
};

struct tasks {
	struct known_task *all;	/* a hash of the threads that have not ended */
	bool is_initial;	/* /proc uses the same numbers as records */
	bool is_recorded;	/* numbers come from a file */
	struct task ended;	/* the last thread that ended, for the event of its end */
	struct task other;	/* the last one for which there was no room */
};

struct tasks *tasks_create(void)
{
	struct tasks *tasks = mem_alloc(sizeof(*tasks));
	struct stat st;

	tasks->is_initial = !stat("/proc/self/ns/pid", &st) && st.st_ino == INITIAL_NAMESPACE;
	return tasks;
}

static void drop(struct tasks *tasks, struct known_task *known)
{
	HASH_DEL(tasks->all, known);
	free(known);
}

void tasks_free(struct tasks *tasks)
{
	struct known_task *known, *next;

	if (!tasks)
		return;
	HASH_ITER(hh, tasks->all, known, next)
		drop(tasks, known);
	free(tasks);
}

static struct known_task *find(const struct tasks *tasks, uint32_t tid)
{
	struct known_task *known;

	HASH_FIND(hh, tasks->all, &tid, sizeof(tid), known);
	return known;
}

static void read_proc(struct task *task)
{
	char *pid = line_find("Tgid:", "/proc/%u/status", task->tid);
	uint64_t number;

	if (pid && number_parse(pid, UINT32_MAX, &number))
		task->pid = number;
	free(pid);
	line_read(task->comm, sizeof(task->comm), "/proc/%u/comm", task->tid);
}

static struct task *get(struct tasks *tasks, uint32_t tid)
{
	struct known_task *known = find(tasks, tid);

	if (known)
		return &known->task;
	if (tasks->is_recorded && HASH_COUNT(tasks->all) >= MOST_RECORDED) {
		tasks->other = (struct task){ .tid = tid };
		return &tasks->other;
	}
	known = mem_alloc(sizeof(*known));
	known->task.tid = tid;
	HASH_ADD(hh, tasks->all, task.tid, sizeof(tid), known);
	if (tasks->is_initial)
		read_proc(&known->task);
	return &known->task;
}

static void end(struct tasks *tasks, uint32_t tid)
{
	struct known_task *known = find(tasks, tid);

	if (!known)
		return;
	tasks->ended = known->task;
	drop(tasks, known);
}

/* The child's tid may have belonged to a thread whose end was not recorded. */
static void begin(struct tasks *tasks, const struct task *parent, const struct ktr_record *event)
{
	struct task *child;

	if (event->child == parent->tid)
		return;
	end(tasks, event->child);
	child = get(tasks, event->child);
	child->pid = event->child_pid;
	if (!*child->comm)
		strcpy(child->comm, parent->comm);
}

void tasks_set_recorded(struct tasks *tasks)
{
	tasks->is_initial = false;
	tasks->is_recorded = true;
}

void tasks_name_thread(struct tasks *tasks, uint32_t tid, uint32_t pid, const char *comm)
{
	struct task *task = get(tasks, tid);

	task->pid = pid;
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
}

void tasks_name(struct tasks *tasks, uint32_t pid, const char *program)
{
	const char *slash = strrchr(program, '/');
	struct task *task;

	if (!tasks->is_initial)
		return;
	task = get(tasks, pid);
	task->pid = pid;
	snprintf(task->comm, 16, "%s", slash ? slash + 1 : program);
}

const struct task *tasks_see(struct tasks *tasks, const struct ktr_record *event)
{
	struct task *task = get(tasks, event->tid);

	if (event->id == EVENT_FORK)
		begin(tasks, task, event);
	if (event->id == EVENT_EXEC) {
		/* The thread that executes a program takes the tid of its process. */
		task->pid = event->tid;
		strcpy(task->comm, event->program);
	}
	if (event->id != EVENT_TASK_EXIT)
		return task;
	end(tasks, event->tid);
	return &tasks->ended;
}
