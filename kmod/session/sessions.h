/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SESSIONS_H
#define KT_SESSIONS_H

#include <linux/types.h>

#include <uapi/ktrace.h>

struct kt_batch;
struct kt_conditions;
struct kt_figures;
struct kt_session;
struct kt_session_config;
struct pid;

/* The functions that commands use. A socket is identified by a number, which is never 0. */

/* Adds a batch of functions, or stages the removal or the return of a list of functions. */
struct kt_edit {
	u64 socket;
	struct kt_batch *batch;		/* or NULL */
	const u32 *list;
	u32 nr_listed;
	bool is_back;			/* the functions of the list return */
};

/* The changes of a command. A member that is NULL or 0 changes nothing. */
struct kt_session_change {
	struct pid **pids, **not_pids;
	u32 nr_pids, nr_not_pids;
	const struct kt_conditions *conditions;
	u32 conditions_given;		/* KT_GIVEN_*: the conditions that are replaced */
	const u64 *min_time;
	u32 max_depth;
};

/* The status of a session. */
struct kt_session_status {
	u32 state;			/* enum ktrace_state */
	int error;
	u64 left;			/* ns of its lifetime; U64_MAX: no lifetime is running */
	pid_t reader;			/* process that reads the stream, or 0 */
	struct ktrace_clocks clocks[2];	/* [0]: start; [1]: end, or now */
	struct ktrace_counters counters;
};

extern int kt_max_sessions;
u32 kt_session_max_sites(void);

void kt_session_exit(void);

/*
 * Process context. On success the references of config move to the session, and the caller has a
 * reference to the session. Returns ERR_PTR(): -ENOMEM, -EEXIST if the name is in use, -EMFILE if
 * there are kt_max_sessions sessions, -EUSERS if all sessions together would take more than
 * KTRACE_MAX_SAMPLES samples, -ENODEV if the module is unloading.
 */
struct kt_session *kt_session_create(const struct kt_session_config *config);
void kt_session_put(struct kt_session *session);
/* Drops all references of a configuration, and frees what it points to. */
void kt_session_put_config(struct kt_session_config *config);

/* Any process context. Both return a session with a reference, or NULL. */
struct kt_session *kt_session_find(u64 id, const char *name);
struct kt_session *kt_session_next(u64 after);	/* with the smallest id above after */

void kt_session_get_status(struct kt_session *session, struct kt_session_status *status);
/* Adds the counters of one CPU to c. */
void kt_session_counters(struct kt_session *session, int cpu, struct ktrace_counters *c);

/*
 * Adds functions of the kernel, as packed struct ktrace_symbol. Returns -EBUSY after the first
 * commit, -EINVAL also if the provider takes no symbols, -EEXIST if a number is in use, or -ENOMEM.
 */
int kt_session_add(struct kt_session *session, const void *symbols, size_t len);
/*
 * Stages functions until a commit. On success the batch moves to the session. Returns -EBUSY if
 * another socket stages functions or the session cannot change now, -EEXIST if a number is in use,
 * -E2BIG if there are more than kt_session_max_sites() sites, -EINVAL if a function comes too late
 * for KTRACE_FUNC_BELOW, -ENOENT if a listed function does not exist, or is removed already (with
 * is_back: is not removed).
 */
int kt_session_edit(struct kt_session *session, const struct kt_edit *edit);
/*
 * Applies a change, even while another socket stages functions. Returns -EBUSY if the session
 * cannot change now, -EINVAL if it does not take the limits of the change, or -ENOMEM.
 */
int kt_session_change(struct kt_session *session, u64 socket,
		      const struct kt_session_change *change);

/*
 * Each function starts an action that the session's work carries out. A notice reports its end.
 * Returns -EBUSY if the state of the session does not allow the action. kt_session_pause() and
 * kt_session_resume() return -EALREADY if there is nothing to do. kt_session_commit() also applies
 * a change: both are done, or neither.
 */
int kt_session_commit(struct kt_session *session, u64 socket,
		      const struct kt_session_change *change);
int kt_session_pause(struct kt_session *session);
int kt_session_resume(struct kt_session *session);
int kt_session_stop(struct kt_session *session);
int kt_session_delete(struct kt_session *session);

/*
 * Thaws the ring after a trigger has fired. Returns -EINVAL if the session has no trigger, -EBUSY
 * if it is firing now.
 */
int kt_session_arm(struct kt_session *session);

/*
 * The functions below change nr different sessions, KTRACE_GATE_SESSIONS at most, all at the same
 * moment. On error they change none.
 *
 * Opens the gates of the sessions, or closes them. Returns -EBUSY if one of them cannot change now.
 */
int kt_sessions_gate(struct kt_session *const *sessions, u32 nr, bool is_open);
/*
 * Starts new, empty figures. The earlier figures stay readable until kt_sessions_reset_done().
 * Returns -EALREADY if an earlier reset of a session is not acknowledged, or -ENOMEM.
 */
int kt_sessions_reset(struct kt_session *const *sessions, u32 nr);
/* Returns -ENOENT if there is no earlier reset of a session. */
int kt_sessions_reset_done(struct kt_session *const *sessions, u32 nr);
/*
 * Returns the current figures, or with is_before the figures from before the last reset, with a
 * reference. Returns NULL if there are no such figures. Any process context.
 */
struct kt_figures *kt_session_figures(struct kt_session *session, bool is_before);

/*
 * Makes the socket the stream reader. Returns 0, or -EBUSY if another socket is the reader. Any
 * process context.
 */
int kt_session_take_reader(struct kt_session *session, u64 socket);
/* A socket was closed; atomic context. */
void kt_session_close_socket(u64 socket);

#endif
