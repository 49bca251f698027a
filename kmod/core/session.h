/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SESSION_H
#define KT_SESSION_H

#include <linux/irq_work.h>
#include <linux/list.h>
#include <linux/percpu.h>
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
struct kt_spent;
struct kt_unwind;

/*
 * The owner of a session, and what it traces. Fixed once the session is listed; the current limits
 * are in struct kt_hot.
 */
struct kt_session_config {
	char name[KTRACE_NAME_LEN];
	const struct kt_provider *provider;
	u32 sinks;			/* KTRACE_SINK_* */
	u32 flags;			/* KTRACE_F_* */
	u32 nr_funcs;
	u32 max_depth;
	u32 max_nodes;
	u32 nr_subbufs;			/* per CPU */
	u64 min_time;
	u64 lifetime;			/* ns; 0: no limit */
	u32 budget;			/* thousandths of one CPU; 0: no limit */
	u32 frequency;			/* samples per second */
	struct ktrace_sample_event event;	/* the source of samples, if has_event */
	bool has_event;
	struct file *file;
	struct pid **pids;		/* tgids at the start; procs has the current ones */
	u32 nr_pids;
	bool does_follow;		/* their children are traced, too */
	bool is_on_exec;		/* they are traced from their exec on */
	struct kt_conditions *conditions;	/* or NULL */
	u32 *devs;			/* devices to trace; NULL: all */
	u32 nr_devs;
	struct ktrace_table table;	/* of KTRACE_SINK_TABLE: as requested, without gaps */
	struct ktrace_trigger trigger;	/* if has_trigger */
	bool has_trigger;
	struct file **files;		/* files and folders to trace, referenced; NULL: all */
	u32 nr_files;			/* 0: all, and also events without a file */
	u64 socket;			/* of the owner */
	pid_t owner;
};

/*
 * A session, as hits and providers use it. Its state and its works are in struct kt_life, which
 * only session/ uses; the data of its provider is behind source.
 */
struct kt_session {
	struct kt_hot hot;
	u64 id;
	u64 cookie;
	struct kt_session_config config;
	struct inode *inode;		/* of config.file, as processes map it now */
	struct kt_procs procs;
	struct kt_figures __rcu *figures;	/* current; changed under kt_control, readers RCU */
	struct irq_work full_irq;	/* reports that rings fill up, or that a trigger fired */
	unsigned long *full_cpus;	/* bitmap: the CPUs of these rings */
	struct work_struct exec_work;	/* reports execs; holds a reference while queued */
	struct kt_unwind *unwind;	/* NULL: no KTRACE_F_UNWIND */
	struct kt_hold *hold;		/* tasks that wait for the watcher */
	struct ktrace_costs costs;	/* all 0 if not known */
	struct kt_spent *spent;		/* what hits of each function have cost; NULL: no budget */
	u32 costly_asked;		/* removals that the throttle has requested; kt_control */
	u32 costly_done;		/* ... and that are done; the work's */
	struct kt_life *life;
	u32 want;			/* enum kt_want, never lowered; kt_control */
	/* Of its provider; only the session's work changes the members below. */
	void *source;			/* data of the provider, which ends with the session */
	struct list_head peers;		/* sessions of the same provider: its lock, readers RCU */
	u32 nr_used;			/* committed functions have numbers below this */
	u32 nr_sites;
	u32 nr_failed;
	/* When it was made; for events of the kernel, when they began to count. */
	struct ktrace_clocks start;
	struct ktrace_clocks end;	/* once stopped */
	bool has_begun;			/* start is that of the window */
	int gate;			/* enum kt_gate; kt_control, and its provider's lock */
};

/* Samples per second and CPU at most. Of events the kernel only aims at FREQUENCY. */
static inline u32 kt_session_most_samples(const struct kt_session_config *config)
{
	return config->has_event && !config->event.period ? 2 * config->frequency :
	       config->frequency;
}

/* Preemption is off. */
static inline struct kt_session_cpu *kt_session_this_cpu(struct kt_session *session)
{
	return this_cpu_ptr(session->hot.cpu);
}

/* A session with KTRACE_F_GATE counts while its gate is open. Gates change in this order only. */
enum kt_gate { KT_GATE_NONE, KT_GATE_NEW, KT_GATE_OPEN, KT_GATE_CLOSED };

/* Do events count while the session is attached? */
static inline bool kt_session_is_open(const struct kt_session *session)
{
	return session->gate == KT_GATE_NONE || session->gate == KT_GATE_OPEN;
}

/* The functions that a commit adds or removes. */
struct kt_staged {
	struct list_head batches;	/* to plant; batches left afterwards have failed */
	bool has_leaving;		/* some functions are to be removed */
	bool is_wider;			/* tasks are wanted that were not wanted before */
};

/* The state that a session is to reach. It changes in this order only. */
enum kt_want { KT_WANT_NOTHING, KT_WANT_ACTIVE, KT_WANT_STOPPED, KT_WANT_GONE };

static inline bool kt_session_is_cancelled(const struct kt_session *session)
{
	return READ_ONCE(session->want) > KT_WANT_ACTIVE;
}

/* Are there functions to remove because the session exceeded its budget? */
static inline bool kt_session_has_costly(const struct kt_session *session)
{
	return READ_ONCE(session->costly_asked) != READ_ONCE(session->costly_done);
}

/*
 * A provider calls these in its attach and its detach: calls begin and cease to count. The clocks
 * of the session are those of this window. It lasts from the first attach to the last detach, so
 * it includes pauses. The window of a session with a gate is that of the gate.
 */
static inline void kt_session_begin_window(struct kt_session *session)
{
	if (session->gate != KT_GATE_NONE)
		return;
	if (!session->has_begun)
		kt_clocks_read(&session->start);
	session->has_begun = true;
}

static inline void kt_session_end_window(struct kt_session *session)
{
	if (session->gate != KT_GATE_CLOSED)
		kt_clocks_read(&session->end);
}

#endif
