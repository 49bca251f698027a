/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SCHED_EVENT_H
#define SCHED_EVENT_H

#include <stdint.h>
#include <stdio.h>

#include "session/event.h"
#include "uapi/ktrace_record.h"

struct stacks;

/* What the record of one period of a thread says. */
struct sched_event {
	char comm[sizeof(struct ktrace_period_record) + 1];
	const char *kind;	/* "sleep" and so on */
};

/* Texts are made plain. A record that is too short has zeroes. */
void sched_event_parse(struct sched_event *to, const struct event *event);

/* A line: when it had its CPU again, or left it, s after start_ns; the thread; how long; what it did. */
void sched_event_print(FILE *out, const struct event *event, uint64_t start_ns);
/* The same as a document on a line, with the stack on which it left its CPU, if that was asked for. */
void json_print_sched_event(FILE *out, const struct event *event, const struct stacks *stacks);

#endif
