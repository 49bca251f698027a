/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_PEERS_H
#define KT_PEERS_H

#include <linux/list.h>
#include <linux/mutex.h>
#include <linux/rculist.h>

struct kt_session;

/*
 * The attached sessions of one provider, which probes once for all. Its functions are called
 * in this order, under the lock; process context, sleep.
 */
struct kt_peers {
	struct list_head sessions;	/* changed under lock, readers RCU */
	struct mutex lock;
	/* Not among them yet; the first finds none. 0, or a negative errno: then it is not. */
	int (*begin)(struct kt_session *session);
	void (*has_begun)(struct kt_session *session);	/* hits may see it; or NULL */
	void (*will_end)(struct kt_session *session);	/* they do still; or NULL */
	/* No more among them, and no hit runs that saw it; the last finds none. */
	void (*end)(struct kt_session *session);
};

#define KT_PEERS_INIT(name)							\
	.sessions = LIST_HEAD_INIT((name).sessions),				\
	.lock = __MUTEX_INITIALIZER((name).lock)

/* Hits: RCU reader. */
#define kt_peers_each(session, all)						\
	list_for_each_entry_rcu(session, &(all)->sessions, peers)

static inline bool kt_peers_are_none(const struct kt_peers *all)
{
	return list_empty(&all->sessions);
}

/* As kt_provider_attach() and kt_provider_detach(). */
int kt_peers_attach(struct kt_peers *all, struct kt_session *session);
void kt_peers_detach(struct kt_peers *all, struct kt_session *session);

#endif
