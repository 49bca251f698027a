// SPDX-License-Identifier: GPL-2.0
/* Sessions of disk requests: each additional probe lives as long as a session needs it. */
#include <linux/gfp.h>
#include <linux/kernel.h>

#include "core/hit.h"
#include "core/provider.h"
#include "core/refill.h"
#include "core/table.h"
#include "lib/mem.h"
#include "providers/block_clone.h"
#include "providers/block_hit.h"
#include "providers/block_request.h"
#include "providers/block_table.h"
#include "providers/block_want.h"
#include "providers/block_who.h"
#include "providers/peers.h"
#include "providers/providers.h"

static u32 nr_askers;		/* sessions that need tasks or files; guarded by the peers' lock */
static u32 nr_recorders;	/* sessions that record requests; guarded by the same lock */

#define ROWS_OF_CPU 64		/* new rows until the pool is refilled */

static struct kt_block *make_block(const struct kt_session_config *config)
{
	struct kt_block *block = kt_mem_alloc(sizeof(*block));
	u32 i;

	for (i = 0; block && i < config->nr_devs; i++)
		kt_block_number(block, config->devs[i]);
	if (!block)
		return NULL;
	block->has_devs = config->nr_devs;
	block->has_more = config->sinks & (KTRACE_SINK_STREAM | KTRACE_SINK_TABLE);
	block->asks = (config->sinks & KTRACE_SINK_STREAM) || config->nr_files ||
		      kt_block_table_asks(&config->table);
	return block;
}

static int block_begin_probes(void)
{
	int error;

	if (!kt_peers_are_none(&kt_block_peers))
		return 0;
	if (!kt_block_table_create())
		return -ENOMEM;
	error = kt_block_hit_begin();
	if (error)
		kt_block_table_free();
	return error;
}

static void block_end_probes(void)
{
	if (!kt_peers_are_none(&kt_block_peers))
		return;
	kt_block_hit_end();
	kt_block_table_free();
}

/* The other probes are attached already, so this probe runs after them. */
static int block_begin_asking(const struct kt_session *session)
{
	int error;

	if (!kt_block_of(session)->asks)
		return 0;
	if (!nr_askers) {
		if (!kt_block_who_create())
			return -ENOMEM;
		error = kt_block_clone_create() ? kt_block_hit_begin_asking() : -ENOMEM;
		if (error) {
			kt_block_clone_free();
			kt_block_who_free();
			return error;
		}
	}
	nr_askers++;
	return 0;
}

static void block_end_asking(const struct kt_session *session)
{
	if (!kt_block_of(session)->asks || --nr_askers)
		return;
	kt_block_hit_end_asking();
	kt_block_clone_free();
	kt_block_who_free();
}

static int block_begin_recording(const struct kt_session *session)
{
	int error = session->hot.ring && !nr_recorders ? kt_off_cpu_begin() : 0;

	nr_recorders += session->hot.ring && !error;
	return error;
}

static void block_end_recording(const struct kt_session *session)
{
	if (session->hot.ring && !--nr_recorders)
		kt_off_cpu_end();
}

/* Completions cannot refill the pool, so the pool has enough in advance. */
static void block_want_rows(const struct kt_session *session, int sign)
{
	if (session->hot.sinks & KTRACE_SINK_TABLE)
		kt_table_want(&session->config.table, sign * ROWS_OF_CPU * (int)nr_cpu_ids);
}

static int block_begin_parts(const struct kt_session *session)
{
	int error = block_begin_probes();

	if (error)
		return error;
	error = block_begin_asking(session);
	if (error)
		goto end_probes;
	error = block_begin_recording(session);
	if (!error)
		return 0;
	block_end_asking(session);
end_probes:
	block_end_probes();
	return error;
}

static int block_begin_session(struct kt_session *session)
{
	int error;

	if (!session->source)
		session->source = make_block(&session->config);
	if (!session->source)
		return -ENOMEM;
	if (!kt_block_want_begin(session))
		return -EMFILE;
	error = block_begin_parts(session);
	if (error) {
		kt_block_want_end(session);
		return error;
	}
	block_want_rows(session, 1);
	kt_refill_all(GFP_KERNEL);
	return 0;
}

static void block_end_session(struct kt_session *session)
{
	kt_block_want_end(session);
	block_want_rows(session, -1);
	block_end_recording(session);
	block_end_asking(session);
	block_end_probes();
}

static void block_put(struct kt_session *session)
{
	kt_mem_free(session->source, sizeof(struct kt_block));
}

static const char *block_own_of(const struct kt_session *session, u32 func, u64 *keys)
{
	const struct kt_block *block = READ_ONCE(session->source);
	u32 number = KTRACE_BLOCK_DEV(func);
	u32 dev = block && number < KTRACE_BLOCK_DEVS ? READ_ONCE(block->devs[number]) : 0;

	keys[0] = dev ? dev - 1 : ~0ULL;
	keys[1] = KTRACE_BLOCK_OP(func);
	keys[2] = KTRACE_BLOCK_STAGE(func);
	return NULL;
}

static const struct kt_columns block_columns = {
	.own = { KTRACE_KEY_DEVICE, KTRACE_KEY_OPERATION, KTRACE_KEY_STAGE },
	.own_of = block_own_of,
	.keys = KT_KEYS_OF_TASKS | 1U << KTRACE_KEY_DEVICE | 1U << KTRACE_KEY_OPERATION |
		1U << KTRACE_KEY_STAGE | 1U << KTRACE_KEY_FILE,
	.values = KT_FIGURES_OF_CALLS | 1ULL << KTRACE_FIGURE_ERRORS |
		  1ULL << KTRACE_FIGURE_BYTES,
};

const struct kt_provider kt_block_provider = {
	.number = KTRACE_PROVIDER_BLOCK,
	.init = kt_off_cpu_init,
	.sinks = KTRACE_SINK_HIST | KTRACE_SINK_TABLE | KTRACE_SINK_STREAM | KTRACE_SINK_STACKS,
	.flags = KTRACE_F_OVERWRITE | KTRACE_F_GATE | KTRACE_F_UNWIND,
	.nr_trigger = KTRACE_BLOCK_Q2C + 1,
	.has_errors = true,
	.min_time_with = KTRACE_SINK_HIST | KTRACE_SINK_TABLE | KTRACE_SINK_STREAM,
	.frames_with = KTRACE_SINK_STREAM,
	.has_follow = true,
	.has_on_exec = true,
	.columns = &block_columns,
	.nr_funcs = KTRACE_NR_BLOCK,
	.has_devs = true,
	.has_files = true,
	.peers = &kt_block_peers,
	.attach = block_begin_session,
	.detach = block_end_session,
	.put = block_put,
};
