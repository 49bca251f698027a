/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SYSCALL_EVENT_H
#define SYSCALL_EVENT_H

#include <stdint.h>
#include <stdio.h>

#include "report/record_value.h"
#include "session/event.h"
#include "uapi/ktrace_record.h"

struct stacks;

/* The record of one system call. */
struct syscall_event {
	struct ktrace_syscall_record call;
	char comm[17];
	char path[KTRACE_SYSCALL_PATH_LEN + 1];	/* path of the file in the first argument, or "" */
	struct value name;	/* a path that was passed to the call, in the event's memory;
				 * kind 0: none */
	unsigned int name_arg;			/* the number of the argument with this path */
	int error;				/* errno that the call returned, or 0 */
};

/* Parses a record. Texts are made plain. Missing members are 0 if the record is too short. */
void syscall_event_parse(struct syscall_event *to, const struct event *event);

/*
 * Prints one line: seconds since start_ns at which the call ended, its thread, its duration, the
 * call.
 */
void syscall_event_print(FILE *out, const struct event *event, uint64_t start_ns);
/* Prints the same as a JSON document on one line, with its stack if stacks were recorded. */
void json_print_syscall_event(FILE *out, const struct event *event, const struct stacks *stacks);

#endif
