/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_LIFE_H
#define KT_LIFE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "core/session.h"
#include "lib/control.h"

struct kt_session_change;
struct kt_throttle;

/* The life of a session: state, references, works and staged changes. */
struct kt_life {
	struct kt_session session;
	struct list_head node;		/* in the list of sessions: kt_control, readers RCU */
	struct kref ref;
	int state;			/* enum ktrace_state; kt_control */
	int error;
	bool is_listed;			/* kt_control */
	bool is_orphan;			/* its socket was closed */
	struct work_struct work;	/* attaches, changes, stops, removes; only this work does */
	struct delayed_work expiry;	/* lifetime.c; holds a reference while queued */
	struct work_struct full_work;	/* sends notices for full_cpus */
	struct work_struct free_work;
	u64 expires;			/* CLOCK_MONOTONIC, ns; 0: never, or not active yet */
	struct kt_throttle *throttle;	/* NULL: no budget */
	struct ktrace_taken_out *taken_out;	/* one per function; NULL: no budget */
	atomic64_t editor;		/* socket that stages functions, or 0 */
	struct list_head staged;	/* batches until commit; kt_control */
	bool has_wider_filter;		/* processes were added to the filter; kt_control */
	bool is_committed;		/* the work takes over what is staged; kt_control */
	bool is_attached;		/* the last attach was not undone; the work's */
	bool has_attached;		/* an attach has succeeded; the work's */
	bool is_paused;			/* the requested state; kt_control */
	struct kt_figures __rcu *before;	/* set aside by a reset, until acknowledged; RCU */
	u32 generation;			/* of the newest figures; kt_control */
	atomic64_t reader;		/* socket of the stream reader, or 0 */
	pid_t reader_pid;
};

typedef void (*kt_session_fn)(struct kt_session *session, void *arg);
/* Calls fn, under RCU, for each listed session that is not cancelled. Any context. */
void kt_session_each(kt_session_fn fn, void *arg);

/*
 * turn.c; the caller holds kt_control. kt_session_turn() queues the session's work for a change. It
 * returns -EBUSY if kt_session_may_turn() returns false: the session must be active or paused.
 * kt_session_raise() raises session->want to KT_WANT_* and queues the work. It returns -EBUSY if
 * session->want has this value or a later one.
 */
int kt_session_turn(struct kt_session *session);
int kt_session_raise(struct kt_session *session, u32 want);
bool kt_session_may_turn(const struct kt_session *session);
void kt_session_queue(struct kt_session *session);	/* queues the session's work; any context */
/* Also notifies subscribers. */
void kt_session_set_state(struct kt_session *session, int state, int error);

/* change.c; the caller holds kt_control once the session is listed. */
bool kt_session_may_edit(const struct kt_session *session);
int kt_session_apply_change(struct kt_session *session, const struct kt_session_change *change);
void kt_session_renew_plain(struct kt_session *session);	/* after a change of min_time */

/* reset.c: makes the first figures of a new session. Returns 0 or -ENOMEM. */
int kt_session_make_figures(struct kt_session *session);
/*
 * staging.c: removes nr functions, whatever commands are staging or changing: the session's work
 * removes their probes, also while it plants others. Process context.
 */
void kt_session_take_out(struct kt_session *session, const u32 *list, u32 nr);

/* news.c: notices of events in atomic context; a work sends them later. */
void kt_session_init_news(struct kt_session *session);
/* The current process, which is traced, has executed another program. Atomic context. */
void kt_session_exec(struct kt_session *session);

#endif
