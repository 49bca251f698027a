/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SESSION_H
#define SESSION_H

#include <stddef.h>

#include "client/client.h"
#include "plan/plan.h"
#include "session/kplan.h"
#include "session/unwinder.h"
#include "util/err.h"

/* What a session does with the functions of a plan. */
struct session_options {
	const char *name;	/* NULL: the session ends with this process */
	uint32_t provider;	/* enum ktrace_provider */
	uint32_t sinks;		/* KTRACE_SINK_* */
	uint32_t flags;		/* KTRACE_F_* */
	const int32_t *pids;
	size_t nr_pids;
	bool does_follow;	/* children of pids, too */
	bool is_on_exec;	/* pids count from their exec on */
	struct ktr_conditions conditions;
	uint32_t room;		/* number of functions that may be added later */
	uint64_t min_time;	/* ns */
	uint64_t lifetime;	/* ns from its attach on; 0: until a command ends it */
	uint32_t budget;	/* thousandths of one CPU; 0: no budget */
	bool is_budget_optional;	/* no budget if the cost of a probe cannot be measured */
	uint32_t max_depth;	/* 0: the module's limit */
	uint64_t buffer;	/* bytes per CPU for records; 0: the default */
	const struct kplan *kplan;	/* kernel functions, or NULL */
	/* Called repeatedly while probes are placed; may be NULL. */
	void (*progress)(const struct session_options *options, const struct ktr_session *session);
	size_t nr_wanted;	/* number of places in the plan, for progress() */
	const uint32_t *devs;	/* trace these disks or virtio devices; NULL: all */
	size_t nr_devs;
	const uint32_t *files;	/* only requests of these files or below these folders; NULL: all */
	size_t nr_files;
	const struct ktrace_table *table;	/* with KTRACE_SINK_TABLE */
	const struct ktrace_trigger *trigger;	/* with KTRACE_SINK_STREAM; NULL: none */
	uint32_t frequency;	/* samples per second; 0: the module's default */
	struct unwinder *unwinder;	/* finds stacks of programs; NULL: frame pointers do */
	const struct ktrace_sample_event *event;	/* that is sampled; NULL: time */
	/*
	 * Called when the session has its functions and none is probed yet, to write what other
	 * commands need. If it returns nonzero, with err set, the session is not attached.
	 */
	int (*keep)(void *arg, uint64_t cookie, struct err *err);
	void *keep_arg;
};

/*
 * Makes a session, sends all functions to the module and attaches the session. plan is NULL unless
 * user functions are traced; options->kplan has kernel functions. On success, session has the new
 * state. Returns 0, or -1 with err set, on failure or once *is_cancelled is true; the session is
 * then removed.
 */
int session_attach(struct ktr *ktr, const struct plan *plan,
		   const struct session_options *options,
		   const volatile int *is_cancelled, struct ktr_session *session,
		   struct err *err);

/*
 * Removes the probes of a session, waits until all are gone, and sets session to the new state.
 * Returns 0 or a negative errno.
 */
int session_stop(struct ktr *ktr, struct ktr_session *session);

/* Returns the name of a state, for example "active". */
const char *session_state(uint32_t state);

/* Returns the name of an enum ktrace_provider, for example "syscalls". */
const char *session_provider(uint32_t provider);

/* What a session keeps. */
struct session_sink {
	uint32_t sink;		/* KTRACE_SINK_* */
	const char *name;
};

#define SESSION_NR_SINKS 6
extern const struct session_sink session_sinks[SESSION_NR_SINKS];

/* Returns the number of calls and records that were lost, for any reason. */
uint64_t session_lost(const struct ktrace_counters *counters);

/*
 * In a session with KTRACE_F_OVERWRITE newer records take the place of old ones: then these are no
 * loss, and are taken out of the counters.
 */
void session_allow_overwritten(struct ktr_session *session);

/* The reasons of losses. */
struct session_loss {
	size_t counter;		/* offset in struct ktrace_counters */
	const char *reason;	/* a word, for machines */
	const char *what;	/* what was lost and why: "calls lost: nested too deep" */
};

#define SESSION_NR_LOSSES 12
extern const struct session_loss session_losses[SESSION_NR_LOSSES];

/* Returns the losses with their reasons, or "" if nothing was lost. The caller frees the text. */
char *session_loss_text(const struct ktrace_counters *counters);

#endif
