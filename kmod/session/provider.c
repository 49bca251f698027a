// SPDX-License-Identifier: GPL-2.0
/* The table of all that sessions can listen to. */
#include <linux/kernel.h>

#include <uapi/ktrace.h>

#include "provider.h"
#include "providers/block.h"
#include "providers/kfunc.h"
#include "providers/peers.h"
#include "providers/sched.h"
#include "providers/syscall.h"
#include "providers/sysenter.h"
#include "providers/virtio.h"

/* A flag of a session of system calls or the like, whatever it listens to. */
#define GATHERED (KTRACE_F_HIST | KTRACE_F_FOLLOW | KTRACE_F_ON_EXEC)

static const struct kt_provider providers[] = {
	{ .flags = KTRACE_F_HIST | KTRACE_F_TREE | KTRACE_F_STREAM | KTRACE_F_OVERWRITE |
		   KTRACE_F_COUNT | KTRACE_F_FOLLOW | KTRACE_F_RAW },
	{ .flag = KTRACE_F_SYSCALLS,
	  .flags = GATHERED | KTRACE_F_TREE | KTRACE_F_STREAM | KTRACE_F_OVERWRITE |
		   KTRACE_F_BY_TID | KTRACE_F_CPU_TIME | KTRACE_F_STACKS | KTRACE_F_PAGES,
	  .min_time_with = KTRACE_F_HIST | KTRACE_F_STREAM,
	  .stacks_with = KTRACE_F_STACKS | KTRACE_F_BY_TID,
	  .frames_with = KTRACE_F_STREAM,
	  .ended_with = KTRACE_F_BY_TID,
	  .nr_funcs = KTRACE_NR_SYSCALLS,
	  .peers = &kt_syscall_peers },
	{ .flag = KTRACE_F_KERNEL,
	  .flags = GATHERED | KTRACE_F_TREE | KTRACE_F_STREAM | KTRACE_F_OVERWRITE |
		   KTRACE_F_COUNT | KTRACE_F_BY_TID | KTRACE_F_BY_PID | KTRACE_F_BY_CPU |
		   KTRACE_F_BY_COMM | KTRACE_F_ERRORS | KTRACE_F_STACKS,
	  .min_time_with = KTRACE_F_HIST | KTRACE_F_STREAM,
	  .max_depth_with = KTRACE_F_TREE,
	  .stacks_with = KTRACE_F_BY_COMM | KTRACE_F_BY_PID | KTRACE_F_BY_TID |
			 KTRACE_F_STACKS,
	  .frames_with = KTRACE_F_TREE | KTRACE_F_STREAM,
	  .ended_with = KTRACE_F_BY_PID | KTRACE_F_BY_TID,
	  .attach = kt_kfuncs_attach, .detach = kt_kfuncs_detach,
	  .missed = kt_kfuncs_missed, .put = kt_kfuncs_put },
	{ .flag = KTRACE_F_SYSENTER,
	  .flags = KTRACE_F_HIST,
	  .nr_funcs = KTRACE_NR_SYSENTER,
	  .peers = &kt_sysenter_peers,
	  .put = kt_sysenter_put },
	{ .flag = KTRACE_F_SCHED,
	  .flags = GATHERED | KTRACE_F_TREE | KTRACE_F_STREAM | KTRACE_F_OVERWRITE |
		   KTRACE_F_BY_TID | KTRACE_F_STACKS,
	  .min_time_with = KTRACE_F_HIST | KTRACE_F_STREAM,
	  .stacks_with = KTRACE_F_STACKS | KTRACE_F_BY_TID,
	  .frames_with = KTRACE_F_TREE,
	  .ended_with = KTRACE_F_BY_TID,
	  .nr_funcs = KTRACE_NR_SCHED,
	  .peers = &kt_sched_peers, .cut = kt_sched_cut },
	{ .flag = KTRACE_F_BLOCK,
	  .flags = GATHERED | KTRACE_F_TREE | KTRACE_F_STREAM | KTRACE_F_OVERWRITE |
		   KTRACE_F_BY_TID | KTRACE_F_BY_PID | KTRACE_F_BY_COMM |
		   KTRACE_F_BY_FILE | KTRACE_F_BY_CGROUP | KTRACE_F_STACKS,
	  .min_time_with = KTRACE_F_HIST | KTRACE_F_STREAM,
	  .stacks_with = KTRACE_F_BY_COMM | KTRACE_F_BY_PID | KTRACE_F_BY_TID |
			 KTRACE_F_STACKS,
	  .frames_with = KTRACE_F_STREAM,
	  .nr_funcs = KTRACE_NR_BLOCK,
	  .peers = &kt_block_peers,
	  .place_of = kt_block_place_of, .put = kt_block_put },
	{ .flag = KTRACE_F_VIRTIO,
	  .flags = KTRACE_F_HIST,
	  .is_of_no_task = true,
	  .nr_funcs = KTRACE_NR_VIRTIO,
	  .peers = &kt_virtio_peers,
	  .missed = kt_virtio_missed, .place_of = kt_virtio_place_of, .put = kt_virtio_put },
};

const struct kt_provider *kt_provider_of(u32 flags)
{
	const struct kt_provider *found = &providers[0], *provider;

	for (provider = providers + 1; provider < providers + ARRAY_SIZE(providers); provider++) {
		if (!(flags & provider->flag))
			continue;
		if (found->flag)
			return NULL;
		found = provider;
	}
	return found;
}

int kt_provider_attach(struct kt_session *session)
{
	const struct kt_provider *provider = session->config.provider;

	if (provider->peers)
		return kt_peers_attach(provider->peers, session);
	return provider->attach ? provider->attach(session) : 0;
}

void kt_provider_detach(struct kt_session *session)
{
	const struct kt_provider *provider = session->config.provider;

	if (provider->peers)
		kt_peers_detach(provider->peers, session);
	else if (provider->detach)
		provider->detach(session);
}
