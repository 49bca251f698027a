/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KFUNC_EVENT_H
#define KFUNC_EVENT_H

#include <stdio.h>

#include "session/event.h"
#include "session/kplan.h"
#include "uapi/ktrace_record.h"

struct stacks;

/* The record of one call of a kernel function. */
struct kfunc_event {
	const char *name;
	char comm[17];
	int64_t ret;
	int error;		/* errno that the function returned, or 0 */
	bool has_result;	/* false if the function has no result, or the result is not
				 * usable */
};

/* Parses a record. Texts are made plain. Missing members are 0 if the record is too short. */
void kfunc_event_parse(struct kfunc_event *to, const struct event *event, const struct kplan *plan);

/*
 * Prints one line: seconds since start_ns at which the call ended, its thread, its duration, the
 * function and its result.
 */
void kfunc_event_print(FILE *out, const struct event *event, const struct kplan *plan,
		       uint64_t start_ns);
/* Prints the same as a JSON document on one line, with its stack if stacks were recorded. */
void json_print_kfunc_event(FILE *out, const struct event *event, const struct kplan *plan,
			    const struct stacks *stacks);

#endif
