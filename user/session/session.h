/* SPDX-License-Identifier: GPL-2.0 */
#ifndef SESSION_H
#define SESSION_H

#include "nl/nl.h"
#include "plan/plan.h"
#include "session/kplan.h"
#include "util/err.h"

/* What a session does with the functions of a plan. */
struct session_options {
	const char *name;	/* NULL: it dies with this process */
	uint32_t provider;	/* enum ktrace_provider */
	uint32_t sinks;		/* KTRACE_SINK_* */
	uint32_t flags;		/* KTRACE_F_* */
	const int32_t *pids;
	size_t nr_pids;
	bool does_follow;	/* children of pids, too */
	bool is_on_exec;	/* pids count from their exec on */
	struct knl_conditions conditions;
	uint32_t room;		/* for functions that are added later */
	uint64_t min_time;	/* ns */
	uint64_t lifetime;	/* ns from when it is active; 0: until a command ends it */
	uint32_t budget;	/* thousandths of one CPU; 0: none */
	uint32_t max_depth;	/* 0: no limit of ours */
	uint64_t buffer;	/* bytes per CPU for records; 0: as many as usual */
	const struct kplan *kplan;	/* of kernel functions; or NULL, as below */
	/* again and again while probes are placed */
	void (*progress)(const struct session_options *options, const struct knl_session *session);
	size_t nr_wanted;	/* places of a plan, for progress */
	const uint32_t *devs;	/* these disks or virtio devices; NULL: all */
	size_t nr_devs;
	const uint32_t *files;	/* requests of these files, or below these folders; NULL: any */
	size_t nr_files;
	const struct ktrace_table *table;	/* with KTRACE_SINK_TABLE */
	/*
	 * Called once the session has its functions and before any is probed, to write what
	 * other commands need. Not 0, with err set: the session is not attached.
	 */
	int (*keep)(void *arg, uint64_t cookie, struct err *err);
	void *keep_arg;
};

/*
 * Makes a session, sends every function to the module and attaches; only user functions
 * have a plan, and functions of the kernel a kplan. On success
 * session is its new state; on failure nothing stays. Ends early, with
 * err set, once *is_cancelled becomes true.
 */
int session_attach(struct knl *nl, const struct plan *plan,
		   const struct session_options *options,
		   const volatile int *is_cancelled, struct knl_session *session,
		   struct err *err);

/* Removes a session's probes, and returns when all are gone; session is its new state. */
int session_stop(struct knl *nl, struct knl_session *session);

/* "active" and the like. */
const char *session_state(uint32_t state);

/* Calls and records that were lost, for any reason. */
uint64_t session_lost(const struct ktrace_counters *counters);

/* The losses with their reasons, as a sentence; "" if there are none. To be freed. */
char *session_loss_text(const struct ktrace_counters *counters);

#endif
