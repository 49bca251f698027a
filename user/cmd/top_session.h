/* SPDX-License-Identifier: GPL-2.0 */
/* The session of the tab that ktrace top shows. There is none while nothing is looked at. */
#ifndef TOP_SESSION_H
#define TOP_SESSION_H

#include <stdbool.h>

#include "client/client.h"
#include "cmd/gather.h"
#include "cmd/top_tabs.h"
#include "report/stacks.h"
#include "session/unwinder.h"

/* What the last window has shown, and what it has cost. */
struct top_window {
	struct top_figures figures;
	uint64_t from, to;		/* ns, CLOCK_MONOTONIC */
	struct ktrace_counters counters;	/* of this window */
	double hit_share;		/* cost of hits, in percent of one CPU; below 0: unknown */
	double own_share;		/* CPU time of this process, in percent of one CPU */
	long nr_cpus, nr_cpus_before;	/* online */
	uint32_t state;			/* KTRACE_STATE_* of the session */
	bool has_ended;			/* no process is left */
};

struct top_session {
	struct ktr *ktr;
	struct gather *config;		/* which tasks, and how their stacks are found */
	uint32_t frequency;		/* of samples; 0: the default */
	const struct top_tab *tab;	/* NULL: there is no session */
	uint64_t id;			/* of the session */
	struct ktr_session session;	/* at the end of the last window */
	struct stacks stacks;
	struct unwinder unwinder;	/* of the session */
	uint64_t from;			/* ns: the next window begins */
	uint64_t own_ns, own_from;	/* CPU time of this process at a time, ns */
	long nr_cpus;
	struct ktrace_counters counters;	/* of earlier sessions, added up */
	bool is_full;			/* the session may soon have no room for stacks */
};

/* Begins the session of a tab, and ends that of another. Returns 0, or -1 with err set. */
int top_session_open(struct top_session *top, const struct top_tab *tab, struct err *err);
void top_session_close(struct top_session *top);
void top_session_free(struct top_session *top);

/* Reads new stacks: call it often. Returns 0 or a negative errno. */
int top_session_look(struct top_session *top);
/* Returns a descriptor that can be read when there may be new stacks, or -1. */
int top_session_news(const struct top_session *top);

/* Ends a window and reads its figures; the next one begins. Returns 0 or a negative errno. */
int top_session_end_window(struct top_session *top, struct top_window *window);

/*
 * The module keeps the stacks of a session until it ends. If they take half of its room, another
 * session takes its place. Returns 0, or -1 with err set.
 */
int top_session_renew(struct top_session *top, struct err *err);

#endif
