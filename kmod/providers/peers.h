/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PEERS_H
#define KT_PEERS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rculist.h>

struct kt_session;

/*
 * The attached sessions of one provider, which has one set of probes for all of them. Hits read
 * the list.
 */
struct kt_peers {
	struct list_head sessions;	/* changed under lock, readers RCU */
	struct mutex lock;		/* guards the list, serializes the callbacks */
};

#define KT_PEERS(name)								\
	struct kt_peers name = {						\
		.sessions = LIST_HEAD_INIT((name).sessions),			\
		.lock = __MUTEX_INITIALIZER((name).lock),			\
	}

/* For hits. The caller is an RCU reader. */
#define kt_peers_each(session, all)						\
	list_for_each_entry_rcu(session, &(all)->sessions, peers)

static inline bool kt_peers_are_none(const struct kt_peers *all)
{
	return list_empty(&all->sessions);
}

/* See kt_provider_attach() and kt_provider_detach(). */
int kt_peers_attach(struct kt_session *session);
void kt_peers_detach(struct kt_session *session);

#endif
