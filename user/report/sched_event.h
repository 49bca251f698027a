/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCHED_EVENT_H
#define SCHED_EVENT_H

#include <stdint.h>
#include <stdio.h>

#include "session/event.h"
#include "uapi/ktrace_record.h"

struct stacks;

/* The record of one period of a thread. */
struct sched_event {
	char comm[sizeof(struct ktrace_period_record) + 1];
	const char *kind;	/* a name such as "sleep" */
};

/* Parses a record. Texts are made plain. Missing members are 0 if the record is too short. */
void sched_event_parse(struct sched_event *to, const struct event *event);

/*
 * Prints one line: seconds since start_ns at which the thread got its CPU back, or left it; the
 * thread; the duration; the kind of period.
 */
void sched_event_print(FILE *out, const struct event *event, uint64_t start_ns);
/*
 * Prints the same as a JSON document on one line, with the stack on which the thread left its CPU,
 * if stacks were recorded.
 */
void json_print_sched_event(FILE *out, const struct event *event, const struct stacks *stacks);

#endif
