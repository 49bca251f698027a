// SPDX-License-Identifier: GPL-2.0
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "keep/kept_tasks.h"
#include "util/hash.h"

#define MOST_TASKS (1 << 18)	/* numbers of threads come from the file */

struct known_task {
	struct kept_task task;
	UT_hash_handle hh;	/* by task.tid */
};

struct kept_tasks {
	struct known_task *all;
};

struct kept_tasks *kept_tasks_create(void)
{
	return mem_alloc(sizeof(struct kept_tasks));
}

void kept_tasks_free(struct kept_tasks *tasks)
{
	struct known_task *known, *next;

	if (!tasks)
		return;
	HASH_ITER(hh, tasks->all, known, next) {
		HASH_DEL(tasks->all, known);
		free(known);
	}
	free(tasks);
}

const struct kept_task *kept_tasks_get(const struct kept_tasks *tasks, uint32_t tid)
{
	struct known_task *known;

	HASH_FIND(hh, tasks->all, &tid, sizeof(tid), known);
	return known ? &known->task : NULL;
}

void kept_tasks_name(struct kept_tasks *tasks, uint32_t tid, uint32_t pid, const char *comm)
{
	struct known_task *known;

	HASH_FIND(hh, tasks->all, &tid, sizeof(tid), known);
	if (!known) {
		if (HASH_COUNT(tasks->all) >= MOST_TASKS)
			return;
		known = mem_alloc(sizeof(*known));
		known->task.tid = tid;
		HASH_ADD(hh, tasks->all, task.tid, sizeof(tid), known);
	}
	if (pid)
		known->task.pid = pid;
	if (comm && *comm)
		snprintf(known->task.comm, sizeof(known->task.comm), "%s", comm);
}

void kept_tasks_fork(struct kept_tasks *tasks, uint32_t tid, uint32_t child, uint32_t pid)
{
	const struct kept_task *parent = kept_tasks_get(tasks, tid);
	char comm[17] = "";

	if (parent)
		memcpy(comm, parent->comm, sizeof(comm));
	kept_tasks_name(tasks, child, pid, comm);
}

void kept_tasks_each(const struct kept_tasks *tasks, kept_task_fn *fn, void *arg)
{
	struct known_task *known, *next;

	HASH_ITER(hh, tasks->all, known, next)
		fn(arg, &known->task);
}
