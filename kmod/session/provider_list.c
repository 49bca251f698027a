// SPDX-License-Identifier: GPL-2.0
/* The table of all providers. */
#include <linux/kernel.h>

#include "core/provider.h"
#include "core/session.h"
#include "providers/peers.h"
#include "providers/providers.h"
#include "uprobe/sites.h"

static const struct kt_provider *const providers[] = {
	&kt_user_provider,
	&kt_syscall_provider,
	&kt_kfunc_provider,
	&kt_sysenter_provider,
	&kt_sched_provider,
	&kt_block_provider,
	&kt_virtio_provider,
	&kt_fault_provider,
	&kt_profile_provider,
};

const struct kt_provider *kt_provider_of(u32 number)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(providers); i++)
		if (providers[i]->number == number)
			return providers[i];
	return NULL;
}

void kt_providers_init(void)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(providers); i++)
		if (providers[i]->init)
			providers[i]->init();
}

int kt_provider_attach(struct kt_session *session)
{
	const struct kt_provider *provider = session->config.provider;

	return provider->peers ? kt_peers_attach(session) :
	       provider->attach(session);
}

void kt_provider_detach(struct kt_session *session)
{
	const struct kt_provider *provider = session->config.provider;

	if (provider->peers)
		kt_peers_detach(session);
	else
		provider->detach(session);
}
