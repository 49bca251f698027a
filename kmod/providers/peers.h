/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PEERS_H
#define KT_PEERS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rculist.h>

struct kt_session;

/*
 * The attached sessions of one provider, which has one set of probes for all of them. The
 * callbacks of the provider are called in this order, under the lock, in process context. They
 * may sleep.
 */
struct kt_peers {
	struct list_head sessions;	/* changed under lock, readers RCU */
	struct mutex lock;		/* guards the list, and serializes the callbacks */
	/*
	 * The session is not on the list yet; for the first session the list is empty. Returns 0,
	 * or a negative errno: then the session is not attached.
	 */
	int (*begin)(struct kt_session *session);
	void (*has_begun)(struct kt_session *session);	/* hits may see the session; or NULL */
	void (*will_end)(struct kt_session *session);	/* hits still see the session; or NULL */
	/*
	 * The session is off the list, and no hit that saw it runs any more. For the last session
	 * the list is empty.
	 */
	void (*end)(struct kt_session *session);
};

#define KT_PEERS_INIT(name)							\
	.sessions = LIST_HEAD_INIT((name).sessions),				\
	.lock = __MUTEX_INITIALIZER((name).lock)

/* For hits. The caller is an RCU reader. */
#define kt_peers_each(session, all)						\
	list_for_each_entry_rcu(session, &(all)->sessions, peers)

static inline bool kt_peers_are_none(const struct kt_peers *all)
{
	return list_empty(&all->sessions);
}

/* See kt_provider_attach() and kt_provider_detach(). */
int kt_peers_attach(struct kt_peers *all, struct kt_session *session);
void kt_peers_detach(struct kt_peers *all, struct kt_session *session);

#endif
