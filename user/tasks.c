// SPDX-License-Identifier: GPL-2.0
/*
 * A stream tells of forks, of programs that are executed, and of threads that end. What it does
 * not tell is read from /proc when a thread is first seen: it may have ended by then.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "mem.h"
#include "tasks.h"

#define NR_LISTS 1024
#define INITIAL_NAMESPACE 0xEFFFFFFCU	/* PROC_PID_INIT_INO, the same on all kernels */

struct tasks {
	struct task *lists[NR_LISTS];
	bool is_initial;	/* the numbers in /proc are those of records */
	struct task ended;	/* the last one: its end is an event too */
};

struct tasks *tasks_create(void)
{
	struct tasks *tasks = mem_alloc(sizeof(*tasks));
	struct stat st;

	tasks->is_initial = !stat("/proc/self/ns/pid", &st) && st.st_ino == INITIAL_NAMESPACE;
	return tasks;
}

void tasks_free(struct tasks *tasks)
{
	struct task *task, *next;
	size_t i;

	if (!tasks)
		return;
	for (i = 0; i < NR_LISTS; i++)
		for (task = tasks->lists[i]; task; task = next) {
			next = task->next;
			free(task);
		}
	free(tasks);
}

/* Where the thread is, or would be. */
static struct task **place_of(struct tasks *tasks, uint32_t tid)
{
	struct task **at = &tasks->lists[tid % NR_LISTS];

	while (*at && (*at)->tid != tid)
		at = &(*at)->next;
	return at;
}

static FILE *open_proc(uint32_t tid, const char *name)
{
	char *path = mem_format("/proc/%u/%s", tid, name);
	FILE *file = fopen(path, "re");

	free(path);
	return file;
}

static void read_pid(struct task *task)
{
	FILE *file = open_proc(task->tid, "status");
	char line[128];

	while (file && fgets(line, sizeof(line), file))
		if (sscanf(line, "Tgid: %u", &task->pid) == 1)
			break;
	if (file)
		fclose(file);
}

static void read_comm(struct task *task)
{
	FILE *file = open_proc(task->tid, "comm");

	if (file && fgets(task->comm, sizeof(task->comm), file))
		task->comm[strcspn(task->comm, "\n")] = 0;
	if (file)
		fclose(file);
}

static struct task *get(struct tasks *tasks, uint32_t tid)
{
	struct task **at = place_of(tasks, tid);

	if (!*at) {
		*at = mem_alloc(sizeof(**at));
		(*at)->tid = tid;
		if (tasks->is_initial) {
			read_pid(*at);
			read_comm(*at);
		}
	}
	return *at;
}

static void end(struct tasks *tasks, uint32_t tid)
{
	struct task **at = place_of(tasks, tid), *task = *at;

	if (!task)
		return;
	*at = task->next;
	tasks->ended = *task;
	free(task);
}

/* Its tid may have been that of a thread whose end was not recorded. */
static void begin(struct tasks *tasks, const struct task *parent, const struct event *event)
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

const struct task *tasks_see(struct tasks *tasks, const struct event *event)
{
	struct task *task = get(tasks, event->tid);

	if (event->id == EVENT_FORK)
		begin(tasks, task, event);
	if (event->id == EVENT_EXEC) {
		/* Whichever thread executes a program becomes its process's first. */
		task->pid = event->tid;
		strcpy(task->comm, event->program);
	}
	if (event->id != EVENT_TASK_EXIT)
		return task;
	end(tasks, event->tid);
	return &tasks->ended;
}
