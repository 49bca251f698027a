/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PROVIDER_H
#define KT_PROVIDER_H

#include <linux/types.h>

struct kt_peers;
struct kt_session;

/* What a number of a function stands for. */
struct kt_place {
	u32 dev;
	const char *name;	/* as long as the session; or NULL */
};

/* Where the events of a session come from. */
struct kt_provider {
	u32 flag;		/* KTRACE_F_*, of the session; 0: user functions */
	u32 flags;		/* what may go with it */
	u32 min_time_with;	/* one of these must be there for a MIN_TIME ... */
	u32 max_depth_with;	/* ... and for a MAX_DEPTH; user functions need none */
	bool is_of_no_task;	/* nobody can be chosen */
	u32 stacks_with;	/* likewise for stacks, or names, to be kept */
	u32 frames_with;	/* ... and for KTRACE_F_STACKS itself */
	u32 ended_with;		/* ... and for names of tasks that end, beside their nodes */
	u32 nr_funcs;		/* 0: the session's creator says how many */
	struct kt_peers *peers;	/* sessions that its probes serve together; or NULL: */
	/*
	 * As kt_provider_attach() and _detach() of a session that has probes of its own. NULL:
	 * its sites are all.
	 */
	int (*attach)(struct kt_session *session);
	void (*detach)(struct kt_session *session);
	/* Calls that were lost before they reached it; or NULL. */
	u64 (*missed)(struct kt_session *session);
	/*
	 * A reset: what has not ended yet counts as far as it went. Process context, sleep,
	 * whether attached or not; or NULL.
	 */
	void (*cut)(struct kt_session *session);
	/* Any process context. False: it has no place; or NULL: none has. */
	bool (*place_of)(const struct kt_session *session, u32 func, struct kt_place *place);
	/* Of a session that goes, which may never have been attached; or NULL. */
	void (*put)(struct kt_session *session);
};

/* NULL: flags name two of them. Any context. */
const struct kt_provider *kt_provider_of(u32 flags);

/*
 * Its events reach the session from the one on, and no more from the other on, after
 * which no hit runs; again and again. Process context, sleep; the session's work
 * alone. 0, or a negative errno: then nothing is probed.
 */
int kt_provider_attach(struct kt_session *session);
void kt_provider_detach(struct kt_session *session);

#endif
