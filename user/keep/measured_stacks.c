// SPDX-License-Identifier: GPL-2.0
/* The stacks of events, with the times of the events. */
#include <stdlib.h>
#include <string.h>

#include "keep/measured_parts.h"
#include "report/number_names.h"
#include "report/stack_frames.h"
#include "report/stack_table.h"
#include "report/syscall_names.h"
#include "session/event.h"
#include "util/mem.h"

bool measured_has_stacks(const struct measured *measured)
{
	return measured->session->is.sinks & KTRACE_SINK_STACKS;
}

/*
 * As ktrace sched --stacks counts: periods off a CPU, and no wait that follows a wake-up. Samples are
 * counted by their stacks anyway.
 */
static bool counts(const struct ktr_record *event)
{
	if (event->id == EVENT_PERIOD)
		return event->func >= KTRACE_SCHED_PREEMPTED && event->func <= KTRACE_SCHED_STOPPED;
	return event->id != EVENT_SAMPLE;
}

static uint32_t what_of(const struct ktr_record *event)
{
	return event->id == EVENT_REQUEST ? KTRACE_BLOCK_OP(event->func) : event->func;
}

void measured_take_stack(struct measured *measured, const struct ktr_record *event)
{
	bool has_stack = event->has_stack && stacks_get(&measured->session->stacks, event->stack);
	struct tally *tally;
	char comm[17];

	if (!counts(event))
		return;
	tally = tallies_get(measured->tallies, MEASURED_STACKS,
			    has_stack ? event->stack : NO_STACK | event->tid, what_of(event),
			    event->id);
	if (!tally)
		return;
	tally->sums.calls++;
	tally->sums.total_ns += event->duration;
	if (!has_stack && filter_comm(comm, event))
		memcpy(tally->comm, comm, sizeof(comm));
}

/* --- paths ---------------------------------------------------------------------- */

struct stacks_paths {
	const struct measured *measured;
	struct paths *paths;
};

/* Returns how an event ends its path; what is no call is in brackets. */
static char *name_of(const struct measured *measured, uint32_t id, uint32_t what)
{
	char text[SYSCALL_NAME_LEN];
	const char *name;

	switch (id) {
	case EVENT_SYSCALL:
		name = syscall_name(what);
		return mem_string(name ? name : syscall_text(text, what));
	case EVENT_PERIOD:
		return mem_format("[%s]", sched_kind(what));
	case EVENT_REQUEST:
		return mem_format("[%s]", io_op_name(what));
	default:
		return mem_string(names_get(&measured->session->names, what));
	}
}

static void add_path(void *arg, const struct tally *tally)
{
	const struct stacks_paths *of = arg;
	struct paths *paths = of->paths;
	const struct stack *stack = tally->key[0] & NO_STACK ? NULL :
				    stacks_get(&of->measured->session->stacks, tally->key[0]);
	const char *comm = stack ? stack->comm : tally->comm;
	char *name = name_of(of->measured, tally->part, tally->key[1]);
	size_t path = paths_child(paths, PATHS_ROOT, *comm ? comm : "-");

	/* The frames between a function and its probe are not its callers. */
	if (stack)
		path = stack_add_path(paths, path, stack,
				      tally->part == EVENT_CALL ? stack_first(stack, name) : 0);
	path = paths_child(paths, path, name);
	paths_count(paths, path, tally->sums.calls, tally->sums.total_ns);
	free(name);
}

static void take_sample_paths(const struct measured *measured, struct paths *paths)
{
	struct profile profile;

	measured_profile(measured, &profile);
	stack_table_paths(paths, &profile.stacks);
	profile_free(&profile);
}

void measured_stack_paths(const struct measured *measured, struct paths *paths)
{
	struct stacks_paths of = { measured, paths };

	if (measured_kind(measured) == MEASURED_SAMPLES) {
		take_sample_paths(measured, paths);
		return;
	}
	memset(paths, 0, sizeof(*paths));
	tallies_each(measured->tallies, MEASURED_STACKS, add_path, &of);
	paths_settle(paths);
}
