// SPDX-License-Identifier: GPL-2.0
/* Attached sessions that share the probes of a provider. */
#include <linux/preempt.h>

#include "compat/rcu.h"
#include "core/provider.h"
#include "core/session.h"
#include "lib/ticks.h"
#include "providers/peers.h"

static int peers_attach(const struct kt_provider *provider, struct kt_session *session)
{
	int error = provider->attach(session);

	if (error)
		return error;
	preempt_disable();
	WRITE_ONCE(session->hot.counts_from, kt_session_is_open(session) ? kt_ticks() : U64_MAX);
	preempt_enable();
	kt_session_begin_window(session);
	list_add_rcu(&session->peers, &provider->peers->sessions);
	if (provider->has_attached)
		provider->has_attached(session);
	return 0;
}

int kt_peers_attach(struct kt_session *session)
{
	const struct kt_provider *provider = session->config.provider;
	int error = 0;

	mutex_lock(&provider->peers->lock);
	if (list_empty(&session->peers))
		error = peers_attach(provider, session);
	mutex_unlock(&provider->peers->lock);
	return error;
}

static void peers_detach(const struct kt_provider *provider, struct kt_session *session)
{
	if (provider->will_detach)
		provider->will_detach(session);
	list_del_rcu(&session->peers);
	kt_session_end_window(session);
	kt_wait_for_hits();
	INIT_LIST_HEAD(&session->peers);
	provider->detach(session);
}

void kt_peers_detach(struct kt_session *session)
{
	const struct kt_provider *provider = session->config.provider;

	mutex_lock(&provider->peers->lock);
	if (!list_empty(&session->peers))
		peers_detach(provider, session);
	mutex_unlock(&provider->peers->lock);
}
