/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TASKS_H
#define TASKS_H

#include <stdint.h>

#include "session/event.h"

/* The process and the name of each thread of a stream, from the thread's first event to its end. */
struct tasks;

struct task {
	uint32_t tid;
	uint32_t pid;	/* 0: not known */
	char comm[17];	/* "": not known */
};

struct tasks *tasks_create(void);
void tasks_free(struct tasks *tasks);

/* The events are those of a recording: /proc tells nothing of its threads. */
void tasks_set_recorded(struct tasks *tasks);
void tasks_name_thread(struct tasks *tasks, uint32_t tid, uint32_t pid, const char *comm);

/*
 * Names a process that may have ended before its first event is read. pid: as seen by this process.
 */
void tasks_name(struct tasks *tasks, uint32_t pid, const char *program);

/*
 * Returns the thread of an event. Events must come in order of time. The next call may free the
 * result.
 */
const struct task *tasks_see(struct tasks *tasks, const struct ktr_record *event);

#endif
