/* SPDX-License-Identifier: GPL-2.0 */
#ifndef TRIGGER_H
#define TRIGGER_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/plan.h"
#include "session/kplan.h"
#include "util/err.h"

/*
 * The condition of record --trigger: an event that ends what a ring keeps. "work > 10ms",
 * "vfs_read = error", "syscall openat > 1ms", "io d2c > 20ms", "sched wait > 5ms",
 * "fault major read > 10ms".
 */
struct trigger {
	const char *text;	/* as it was given */
	enum trigger_kind {
		TRIGGER_FUNCTION,
		TRIGGER_SYSCALL,
		TRIGGER_REQUEST,
		TRIGGER_PERIOD,
		TRIGGER_FAULT
	} kind;
	char *name;		/* of the function, system call, stage, period or kind of fault;
				 * NULL: any */
	struct ktrace_trigger wanted;
};

/* What a session will record. */
struct trigger_source {
	uint32_t provider;		/* enum ktrace_provider */
	const struct plan *plan;	/* of user functions, or NULL */
	const struct kplan *kplan;	/* of kernel functions, or NULL */
};

/* Returns 0, or -1 with err set. */
int trigger_parse(struct trigger *trigger, const char *text, struct err *err);
void trigger_free(struct trigger *trigger);

/*
 * Returns the index of the session whose events the condition is about, and sets
 * trigger->wanted.func. Returns -1 with err set if no session has such events.
 */
int trigger_choose(struct trigger *trigger, const struct trigger_source *sources, size_t nr,
		   struct err *err);
/* Is the condition about a function that is called like this one? */
bool trigger_is_about(const struct trigger *trigger, const char *function);

#endif
