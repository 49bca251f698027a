/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KFUNC_EVENT_H
#define KFUNC_EVENT_H

#include <stdio.h>

#include "session/event.h"
#include "session/kplan.h"
#include "uapi/ktrace_record.h"

struct stacks;

/* What the record of one call of a kernel function says. */
struct kfunc_event {
	const char *name;
	char comm[17];
	int64_t ret;
	int error;		/* errno that it returned, or 0 */
	bool has_result;	/* as far as is known */
};

/* Texts are made plain. A record that is too short has zeroes. */
void kfunc_event_parse(struct kfunc_event *to, const struct event *event, const struct kplan *plan);

/* A line: when it ended, s after start_ns; its thread; how long; the function and its result. */
void kfunc_event_print(FILE *out, const struct event *event, const struct kplan *plan,
		       uint64_t start_ns);
/* The same as a document on a line, with its stack, if that was asked for. */
void json_print_kfunc_event(FILE *out, const struct event *event, const struct kplan *plan,
			    const struct stacks *stacks);

#endif
