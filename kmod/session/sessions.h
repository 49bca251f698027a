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

/* What commands do with sessions. A socket is named by a number, never 0. */

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

/* How a session is, at one moment. */
struct kt_session_status {
	u32 state;			/* enum ktrace_state */
	int error;
	u64 left;			/* ns until it stops by itself; U64_MAX: it does not */
	pid_t reader;			/* of its stream, or 0 */
	struct ktrace_clocks clocks[2];	/* of its start; of its end, or of now */
	struct ktrace_counters counters;
};

extern int kt_max_sessions;
u32 kt_session_max_sites(void);

void kt_session_exit(void);

/* Process context; config's references move to the session on success. */
struct kt_session *kt_session_create(const struct kt_session_config *config);
void kt_session_put(struct kt_session *session);
/* Of a configuration that no session took. */
void kt_session_put_config(struct kt_session_config *config);

/* Any process context; a reference on success. */
struct kt_session *kt_session_find(u64 id, const char *name);
struct kt_session *kt_session_next(u64 after);	/* smallest id above after */

void kt_session_get_status(struct kt_session *session, struct kt_session_status *status);
void kt_session_counters(struct kt_session *session, int cpu, struct ktrace_counters *c);

/*
 * Functions before the first commit, packed struct ktrace_symbol. -EBUSY: it is past that;
 * -EINVAL: also where the provider has none; -EEXIST (a number is taken), -ENOMEM.
 */
int kt_session_add(struct kt_session *session, const void *symbols, size_t len);
/*
 * Functions are staged until commit by one socket at a time; the batch moves to the
 * session on success. -EBUSY, -EEXIST (a number is taken), -ENOENT (is none of it).
 */
int kt_session_edit(struct kt_session *session, const struct kt_edit *edit);
/* Whoever edits functions meanwhile. */
int kt_session_change(struct kt_session *session, u64 socket,
		      const struct kt_session_change *change);

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
 * New, empty figures; the ones before stay readable until acknowledged.
 * -EALREADY: those of an earlier reset are not acknowledged yet, nothing changed.
 */
int kt_session_reset(struct kt_session *session);
int kt_session_reset_done(struct kt_session *session);	/* -ENOENT: nothing to acknowledge */
/* A reference; NULL: there are none. Any process context. */
struct kt_figures *kt_session_figures(struct kt_session *session, bool is_before);

/* The one stream reader. 0, or -EBUSY; any process context. */
int kt_session_take_reader(struct kt_session *session, u64 socket);
/* A socket was closed; atomic context. */
void kt_session_close_socket(u64 socket);

#endif
