/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SESSION_H
#define KT_SESSION_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/types.h>
#include <linux/workqueue.h>

#include <uapi/ktrace.h>

#include "core/hot.h"
#include "core/procs.h"
#include "lib/ticks.h"

struct file;
struct inode;
struct kt_conditions;
struct kt_figures;
struct kt_hold;
struct kt_life;
struct kt_provider;

/* Who made it; what it traces. Fixed once it is listed; limits of now are in struct kt_hot. */
struct kt_session_config {
	char name[KTRACE_NAME_LEN];
	const struct kt_provider *provider;
	u32 sinks;			/* KTRACE_SINK_* */
	u32 flags;			/* KTRACE_F_* */
	u32 nr_funcs;
	u32 max_depth;
	u32 max_nodes;
	u32 nr_subbufs;			/* of each CPU */
	u64 min_time;
	u64 lifetime;			/* ns; 0: until somebody ends it */
	u32 budget;			/* thousandths of one CPU; 0: none */
	struct file *file;
	struct pid **pids;		/* tgids that it begins with; procs has those of now */
	u32 nr_pids;
	bool does_follow;		/* their children, too */
	bool is_on_exec;		/* they count from their exec on */
	struct kt_conditions *conditions;	/* or NULL */
	u32 *devs;			/* that its provider looks at; NULL: all */
	u32 nr_devs;
	struct ktrace_table table;	/* of KTRACE_SINK_TABLE: as asked for, without gaps */
	struct file **files;		/* these files and folders, referenced; NULL: any */
	u32 nr_files;			/* 0: any, and none */
	u64 socket;			/* of the owner */
	pid_t owner;
};

/*
 * A session, as hits and providers know it. Its life, which only session/ knows, is struct
 * kt_life; what a provider alone needs is behind source.
 */
struct kt_session {
	struct kt_hot hot;
	u64 id;
	u64 cookie;
	struct kt_session_config config;
	struct inode *inode;		/* of config.file: what processes map that run it now */
	struct kt_procs procs;
	struct kt_figures __rcu *figures;	/* of now; changed under kt_control, readers RCU */
	struct irq_work full_irq;	/* a CPU's ring fills up ... */
	unsigned long *full_cpus;	/* ... which notices say */
	struct work_struct exec_work;	/* tells of programs; queued, it holds a reference */
	struct kt_hold *hold;		/* tasks that wait for its watcher */
	struct ktrace_costs costs;	/* all 0: they are not known */
	struct kt_life *life;
	u32 want;			/* enum kt_want, only ever raised; kt_control */
	/* Of its provider, changed by the session's work alone. */
	void *source;			/* its own; it ends with the session */
	struct list_head peers;		/* sessions of the same provider: its lock, readers RCU */
	u32 nr_used;			/* numbers below are taken, by what was committed */
	u32 nr_sites;
	u32 nr_failed;
	/* When it was made; on the kernel's side, when calls began to count. */
	struct ktrace_clocks start;
	struct ktrace_clocks end;	/* once stopped */
	bool has_begun;			/* start is of the window */
};

/* Functions that a commit has left to plant, or to take out. */
struct kt_staged {
	struct list_head batches;	/* new functions; those left afterwards could not be */
	bool has_leaving;		/* functions are gone */
	bool is_wider;			/* tasks are wanted that were not before */
};

/* What is to become of a session, in this order. */
enum kt_want { KT_WANT_NOTHING, KT_WANT_ACTIVE, KT_WANT_STOPPED, KT_WANT_GONE };

static inline bool kt_session_is_cancelled(const struct kt_session *session)
{
	return READ_ONCE(session->want) > KT_WANT_ACTIVE;
}

/*
 * For a provider, in its attach and its detach: from here on calls count, and here they
 * cease to. The session's clocks are those of this window. A pause is in it: it is one
 * from the first attach to the last detach.
 */
static inline void kt_session_begin_window(struct kt_session *session)
{
	if (!session->has_begun)
		kt_clocks_read(&session->start);
	session->has_begun = true;
}

static inline void kt_session_end_window(struct kt_session *session)
{
	kt_clocks_read(&session->end);
}

#endif
