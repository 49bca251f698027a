/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KEPT_TASKS_H
#define KEPT_TASKS_H

#include <stddef.h>
#include <stdint.h>

/* The processes and names of threads, from a recording only. */
struct kept_tasks;

struct kept_task {
	uint32_t tid;
	uint32_t pid;	/* 0: not known */
	char comm[17];	/* "": not known */
};

struct kept_tasks *kept_tasks_create(void);
void kept_tasks_free(struct kept_tasks *tasks);

/* Names a thread. comm may be NULL. */
void kept_tasks_name(struct kept_tasks *tasks, uint32_t tid, uint32_t pid, const char *comm);
/* A thread made another one, whose process is pid. */
void kept_tasks_fork(struct kept_tasks *tasks, uint32_t tid, uint32_t child, uint32_t pid);
/* Returns what is known of a thread, or NULL. The next call may free it. */
const struct kept_task *kept_tasks_get(const struct kept_tasks *tasks, uint32_t tid);

typedef void kept_task_fn(void *arg, const struct kept_task *task);
void kept_tasks_each(const struct kept_tasks *tasks, kept_task_fn *fn, void *arg);

#endif
