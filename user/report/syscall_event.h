/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYSCALL_EVENT_H
#define SYSCALL_EVENT_H

#include <stdint.h>
#include <stdio.h>

#include "report/record_value.h"
#include "session/event.h"
#include "uapi/ktrace_record.h"

struct stacks;

/* What the record of one system call says. */
struct syscall_event {
	struct ktrace_syscall_record call;
	char comm[17];
	char path[KTRACE_SYSCALL_PATH_LEN + 1];	/* of its first argument, or "" */
	struct value name;	/* a path that it was given, a string of the event's; or of no kind */
	unsigned int name_arg;			/* that it is */
	int error;				/* that it returned, or 0 */
};

/* Texts are made plain. A record that is too short has zeroes. */
void syscall_event_parse(struct syscall_event *to, const struct event *event);

/* A line: when it ended, s after start_ns; its thread; how long; the call. */
void syscall_event_print(FILE *out, const struct event *event, uint64_t start_ns);
/* The same as a document on a line, with its stack, if that was asked for. */
void json_print_syscall_event(FILE *out, const struct event *event, const struct stacks *stacks);

#endif
