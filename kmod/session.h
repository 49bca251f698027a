/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SESSION_H
#define KT_SESSION_H

#include <linux/fs.h>
#include <linux/irq_work.h>
#include <linux/kref.h>
#include <linux/list.h>
#include <linux/percpu.h>
#include <linux/pid.h>
#include <linux/wait.h>
#include <linux/workqueue.h>
#include <net/net_namespace.h>

#include <uapi/ktrace.h>

#include "core/caller.h"
#include "core/procs.h"
#include "lib/control.h"
#include "lib/ticks.h"
#include "uprobe/hold.h"

struct kt_batch;
struct kt_provider;
struct kt_conditions;
struct kt_figures;
struct kt_hist;
struct kt_ring;
struct kt_stack;
struct kt_stacks;
struct kt_throttle;
struct kt_tree;

#define KT_HIT_SAMPLE_EVERY 64	/* hits, for one whose own cost is measured */

enum kt_cost { KT_COST_ENTRY, KT_COST_RETURN, KT_COST_STEPPED, KT_NR_COSTS };

/* The process that a CPU last found wanted. */
struct kt_filter_cache {
	const struct pid *tgid;
	u32 nr_changes;		/* of the list of own processes by then */
};

/* What one CPU counts and keeps for a session; written on that CPU only. */
struct kt_session_cpu {
	struct ktrace_counters counters;
	struct kt_hist **hist;		/* [nr_funcs], of the session's figures */
	struct kt_stack *stack;		/* the last one seen, or an empty one: checked before use */
	struct kt_filter_cache seen;
	struct kt_caller_cache callers;
	u64 own[2];			/* ns that a hit takes here: not of a return, of a return */
	u64 after[KT_NR_COSTS];		/* ... and that it costs the program */
	u64 next_sample;		/* of hits: the one whose cost is measured */
	u64 cut;			/* ticks; of sched.c: who runs here is counted so far, */
	u64 ended;			/* and told of, as the session ends */
};

/* Who made it; what it traces. All but min_time and max_depth is fixed once it is listed. */
struct kt_session_config {
	char name[KTRACE_NAME_LEN];
	u32 flags;
	const struct kt_provider *provider;
	u32 nr_funcs;
	u32 max_depth;
	u32 max_nodes;
	u32 nr_subbufs;
	u64 min_time;
	u64 lifetime;			/* ns; 0: until somebody ends it */
	u32 budget;			/* thousandths of one CPU; 0: none */
	struct file *file;
	struct pid **pids;		/* tgids that it begins with; procs has those of now */
	u32 nr_pids;
	struct kt_conditions *conditions;	/* or NULL; likewise */
	u32 *devs;			/* of KTRACE_F_BLOCK; NULL: all */
	u32 nr_devs;
	struct file **files;		/* likewise, and folders */
	u32 nr_files;			/* 0: any, and none */
	struct net *net;		/* owner's socket; not referenced, only compared */
	u32 portid;
	pid_t owner;
};

struct kt_session {
	struct kt_session_config config;
	struct list_head node;		/* kt_sessions: kt_control, readers RCU */
	struct kref ref;
	struct rcu_head rcu;
	u64 id;
	u64 cookie;
	struct inode *inode;		/* of config.file: what processes map that run it now */
	bool is_plain;			/* every call is kept, none is streamed, no error counts */
	bool is_on_kernel_stack;	/* as its provider: for hits */
	u16 base_depth;			/* of calls outside of all frames: KT_DEPTH_OUTSIDE, or 0 */
	int state;			/* enum ktrace_state; kt_control */
	int error;
	bool is_listed;			/* kt_control */
	u32 want;			/* enum kt_want, only ever raised; kt_control */
	bool is_orphan;			/* its socket was closed */
	struct work_struct work;	/* brings it to what is wanted; the only one that does */
	struct delayed_work expiry;	/* lifetime.c; queued, it holds a reference */
	struct kt_throttle *throttle;	/* of a budget, or NULL */
	struct ktrace_costs costs;	/* all 0: they are not known */
	s64 stepped_more;		/* ns that an entry costs more if it is stepped, and ... */
	s64 shared_more;		/* ... less, so below 0, where an exit shares its trap */
	u64 expires;			/* CLOCK_MONOTONIC, ns; 0: not by itself */
	struct work_struct free_work;
	struct kt_procs procs;
	struct kt_conditions __rcu *conditions;	/* NULL: none; changed under kt_control */
	struct kt_hold hold;
	struct work_struct exec_work;
	struct kt_func *funcs;		/* [nr_funcs] */
	u32 nr_used;			/* numbers below are taken, by what was committed */
	u32 nr_sites;
	u32 nr_failed;
	struct list_head peers;		/* sessions of the same provider: its lock, readers RCU */
	void *source;			/* the provider's own; it ends with the session */
	u64 counts_from;		/* calls that began earlier are none of it, ticks */
	u64 least;			/* min_time, or 0 with a ring: what took less, neither */
	struct list_head site_sets;	/* of each commit; changed by the work alone */
	atomic64_t editor;		/* socket that stages functions, 0: none */
	struct list_head staged;	/* batches until commit; kt_control */
	struct list_head batches;	/* those committed */
	u64 narrowed;			/* when somebody was last sent away, ns */
	bool has_wider_filter;		/* who is wanted now was not before; kt_control */
	bool is_wider;			/* as of the commit that is planted; its work alone */
	bool is_committed;		/* what is staged is to be taken over; kt_control */
	bool is_paused;			/* as it is to be; kt_control */
	struct kt_session_cpu __percpu *cpu;
	struct kt_figures __rcu *figures;	/* of now; changed under kt_control, readers RCU */
	struct kt_figures __rcu *before; /* the last reset, until acknowledged; likewise */
	u32 generation;			/* of figures; kt_control */
	struct kt_tree *tree;		/* of figures, for hits */
	struct kt_ring *ring;
	struct kt_stacks *stacks;	/* where the provider has some; or NULL */
	atomic64_t reader;		/* the stream reader's socket, 0: none */
	pid_t reader_pid;
	struct irq_work full_irq;	/* a CPU's ring fills up ... */
	struct work_struct full_work;	/* ... which notices say */
	unsigned long *full_cpus;
	/* When it was made; on the kernel's side, when calls began to count. */
	struct ktrace_clocks start;
	struct ktrace_clocks end;	/* once stopped */
};

/* Functions that a commit has left to plant, or to take out. */
struct kt_staged {
	struct list_head batches;	/* new functions; those left afterwards could not be */
	bool has_leaving;		/* functions are gone */
};

/* What is to become of a session, in this order. */
enum kt_want { KT_WANT_NOTHING, KT_WANT_ACTIVE, KT_WANT_STOPPED, KT_WANT_GONE };

static inline bool kt_session_is_cancelled(const struct kt_session *session)
{
	return READ_ONCE(session->want) > KT_WANT_ACTIVE;
}

/* Flags that a plain entry has none of: on what is shown, on what is a call. */
#define KT_FUNC_PLACED (KTRACE_FUNC_BELOW | KTRACE_FUNC_NOT_BELOW | KTRACE_FUNC_HIDDEN | \
			KTRACE_FUNC_LOOP | KTRACE_FUNC_JUMPS)

/* What the hit needs to know of a function. */
struct kt_func {
	struct ktrace_func desc;
	const struct inode *file;	/* of a user function: its own; not referenced */
	bool is_told;			/* of a kernel function: its number is taken */
	bool has_number;		/* of a kernel function: its result is a number */
	bool has_args;			/* some of desc's are not KTRACE_VALUE_NONE */
	int error;			/* negative errno: could not be probed */
	u64 since;			/* of KTRACE_RETURN_UNSEEN: when it was entered last, ns */
	bool is_leaving;		/* staged, likewise is_returning; kt_control */
	bool is_returning;
	bool is_gone;			/* out of the session */
	const struct kt_batch *batch;	/* told of it; NULL: not told of */
};

/* A batch of functions is being added, or a list taken away or brought back. */
struct kt_edit {
	u64 socket;
	struct kt_batch *batch;		/* or NULL */
	const u32 *list;
	u32 nr_listed;
	bool is_back;
};

/* What a command changes; NULL and 0: nothing. */
struct kt_session_change {
	struct pid **pids, **not_pids;
	u32 nr_pids, nr_not_pids;
	const struct kt_conditions *conditions;
	u32 conditions_given;		/* KT_GIVEN_*: which of them */
	const u64 *min_time;
	u32 max_depth;
};

void kt_session_exit(void);

/* Process context; config's references move to the session on success. */
struct kt_session *kt_session_create(const struct kt_session_config *config);
void kt_session_put(struct kt_session *session);
/* Of a configuration that no session took. */
void kt_session_put_config(struct kt_session_config *config);
extern int kt_max_sessions;

/* Any process context; a reference on success. */
struct kt_session *kt_session_find(u64 id, const char *name);
struct kt_session *kt_session_next(u64 after);	/* smallest id above after */

/*
 * Each starts what a work then does, whose end a notice tells; -EBUSY: the
 * session is past that.
 */
/* With a change, both at once. */
int kt_session_commit(struct kt_session *session, u64 socket,
		      const struct kt_session_change *change);
int kt_session_pause(struct kt_session *session);
int kt_session_resume(struct kt_session *session);
int kt_session_stop(struct kt_session *session);
int kt_session_delete(struct kt_session *session);

/*
 * Functions are staged until commit by one socket at a time; the batch moves to the
 * session on success. -EBUSY, -EEXIST (a number is taken), -ENOENT (is none of it).
 */
int kt_session_edit(struct kt_session *session, const struct kt_edit *edit);
/* Functions leave by themselves, at once. -EBUSY: a change is under way; -ENOENT. */
int kt_session_take_out(struct kt_session *session, const u32 *list, u32 nr);
/* -EBUSY: a change is under way, or the session is past that; -ENOMEM. */
int kt_session_turn(struct kt_session *session);	/* under kt_control: queues the work */
void kt_session_renew_plain(struct kt_session *session); /* once min_time changed; likewise */
/* Whoever edits functions meanwhile. */
int kt_session_change(struct kt_session *session, u64 socket,
		      const struct kt_session_change *change);
int kt_session_apply_change(struct kt_session *session, const struct kt_session_change *change);
bool kt_session_may_edit(const struct kt_session *session);	/* both: under kt_control */
u32 kt_session_max_sites(void);

typedef void (*kt_session_fn)(struct kt_session *session, void *arg);
/* RCU reader: fn is called for each session that hits may belong to. Any context. */
void kt_session_each(kt_session_fn fn, void *arg);
/* Likewise, and for those that were stopped, as long as they can be read. */
void kt_session_each_listed(kt_session_fn fn, void *arg);
/* The current process, which is traced, runs another program. Atomic context. */
void kt_session_exec(struct kt_session *session);

/* A number for a socket, never 0. */
u64 kt_session_socket(struct net *net, u32 portid);

/*
 * New, empty figures; the ones before stay readable until acknowledged.
 * -EALREADY: those of an earlier reset are not acknowledged yet, nothing changed.
 */
int kt_session_reset(struct kt_session *session);
int kt_session_reset_done(struct kt_session *session);	/* -ENOENT: nothing to acknowledge */
/* A reference; NULL: there are none. Any process context. */
struct kt_figures *kt_session_figures(struct kt_session *session, bool is_before);

/* Of one that is being made; -ENOMEM. */
int kt_session_make_figures(struct kt_session *session);

static inline size_t kt_session_cpu_len(void)
{
	return num_possible_cpus() * sizeof(struct kt_session_cpu);
}

/* What sinks gave back is not to be held against max_mem. Process context. */
void kt_session_shrink_pools(void);

/* The one stream reader. 0, or -EBUSY; any process context. */
int kt_session_take_reader(struct kt_session *session, u64 socket);
/* A socket was closed; atomic context. */
void kt_session_close_socket(struct net *net, u32 portid);

/* news.c: told a moment later, from a work. */
void kt_session_init_news(struct kt_session *session);

u32 kt_session_get_state(struct kt_session *session, int *error);
void kt_session_counters(struct kt_session *session, int cpu, struct ktrace_counters *c);

/*
 * For a provider, in its attach and its detach: from here on calls count, and here they
 * cease to. The session's clocks are those of this window. A pause is in it: it is one
 * from the first attach to the last detach.
 */
static inline void kt_session_begin_window(struct kt_session *session)
{
	if (session->state == KTRACE_STATE_ATTACHING)
		kt_clocks_read(&session->start);
}

static inline void kt_session_end_window(struct kt_session *session)
{
	kt_clocks_read(&session->end);
}

#endif
