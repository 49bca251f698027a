/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_LIFE_H
#define KT_LIFE_H

#include <linux/kref.h>
#include <linux/list.h>
#include <linux/rcupdate.h>
#include <linux/workqueue.h>

#include "lib/control.h"
#include "session.h"

struct kt_session_change;
struct kt_throttle;

/* The life of a session: what it is, what it is to become, who works on it. */
struct kt_life {
	struct kt_session session;
	struct list_head node;		/* of all sessions: kt_control, readers RCU */
	struct kref ref;
	int state;			/* enum ktrace_state; kt_control */
	int error;
	bool is_listed;			/* kt_control */
	bool is_orphan;			/* its socket was closed */
	struct work_struct work;	/* brings it to what is wanted; the only one that does */
	struct delayed_work expiry;	/* lifetime.c; queued, it holds a reference */
	struct work_struct full_work;	/* ... which tells of full_cpus */
	struct work_struct free_work;
	u64 expires;			/* CLOCK_MONOTONIC, ns; 0: not by itself */
	struct kt_throttle *throttle;	/* of a budget, or NULL */
	struct ktrace_taken_out *taken_out;	/* by function: taken_out.c; or NULL */
	atomic64_t editor;		/* socket that stages functions, 0: none */
	struct list_head staged;	/* batches until commit; kt_control */
	bool has_wider_filter;		/* tasks are wanted that were not before; kt_control */
	bool is_committed;		/* what is staged is to be taken over; kt_control */
	bool is_paused;			/* as it is to be; kt_control */
	struct kt_figures __rcu *before;	/* the last reset, until acknowledged; RCU */
	u32 generation;			/* of figures; kt_control */
	atomic64_t reader;		/* the stream reader's socket, 0: none */
	pid_t reader_pid;
};

typedef void (*kt_session_fn)(struct kt_session *session, void *arg);
/* RCU reader: fn is called for each session that hits may belong to. Any context. */
void kt_session_each(kt_session_fn fn, void *arg);

/*
 * turn.c, under kt_control. The first two queue the work of the session: for a change, and for a
 * later part of its life, which is KT_WANT_*. -EBUSY: a change is under way, or the session is
 * past that.
 */
int kt_session_turn(struct kt_session *session);
int kt_session_raise(struct kt_session *session, u32 want);
bool kt_session_may_turn(const struct kt_session *session);
/* Subscribers are notified. */
void kt_session_set_state(struct kt_session *session, int state, int error);

/* change.c, under kt_control. */
bool kt_session_may_edit(const struct kt_session *session);
int kt_session_apply_change(struct kt_session *session, const struct kt_session_change *change);
void kt_session_renew_plain(struct kt_session *session);	/* once min_time changed */

/* reset.c: of one that is being made; -ENOMEM. */
int kt_session_make_figures(struct kt_session *session);
/* staging.c: functions leave by themselves, at once. -EBUSY: a change is under way; -ENOENT. */
int kt_session_take_out(struct kt_session *session, const u32 *list, u32 nr);

/* news.c: told a moment later, from a work. */
void kt_session_init_news(struct kt_session *session);
/* The current process, which is traced, runs another program. Atomic context. */
void kt_session_exec(struct kt_session *session);

#endif
