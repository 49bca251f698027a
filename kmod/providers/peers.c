// SPDX-License-Identifier: GPL-2.0
/* Attached sessions that share the probes of a provider. */
#include <linux/preempt.h>

#include "compat/rcu.h"
#include "lib/ticks.h"
#include "providers/peers.h"
#include "session.h"

static int peers_attach(struct kt_peers *all, struct kt_session *session)
{
	int error = all->begin(session);

	if (error)
		return error;
	preempt_disable();
	session->hot.counts_from = kt_ticks();
	preempt_enable();
	kt_session_begin_window(session);
	list_add_rcu(&session->peers, &all->sessions);
	if (all->has_begun)
		all->has_begun(session);
	return 0;
}

int kt_peers_attach(struct kt_peers *all, struct kt_session *session)
{
	int error = 0;

	mutex_lock(&all->lock);
	if (list_empty(&session->peers))
		error = peers_attach(all, session);
	mutex_unlock(&all->lock);
	return error;
}

static void peers_detach(struct kt_peers *all, struct kt_session *session)
{
	if (all->will_end)
		all->will_end(session);
	list_del_rcu(&session->peers);
	kt_session_end_window(session);
	kt_wait_for_hits();
	INIT_LIST_HEAD(&session->peers);
	all->end(session);
}

void kt_peers_detach(struct kt_peers *all, struct kt_session *session)
{
	mutex_lock(&all->lock);
	if (!list_empty(&session->peers))
		peers_detach(all, session);
	mutex_unlock(&all->lock);
}
