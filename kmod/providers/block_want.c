// SPDX-License-Identifier: GPL-2.0
/* Which sessions trace a request. */
#include <linux/percpu.h>

#include "core/filter.h"
#include "providers/block_choice.h"
#include "providers/block_file.h"
#include "providers/block_want.h"
#include "providers/peers.h"

KT_PEERS(kt_block_peers);
u32 kt_block_nr_choosers;
u64 kt_block_file_bits, kt_block_stack_bits, kt_block_unwind_bits;
static u64 bits_used;

bool kt_block_want_begin(const struct kt_session *session)
{
	struct kt_block *block = kt_block_of(session);

	if (!~bits_used)
		return false;
	block->bit = ~bits_used & (bits_used + 1);
	bits_used |= block->bit;
	if (session->hot.sinks & KTRACE_SINK_STACKS)
		kt_block_stack_bits |= block->bit;
	if (session->hot.flags & KTRACE_F_UNWIND)
		kt_block_unwind_bits |= block->bit;
	if (session->config.nr_files)
		kt_block_file_bits |= block->bit;
	kt_block_nr_choosers += block->has_devs;
	return true;
}

void kt_block_want_end(const struct kt_session *session)
{
	const struct kt_block *block = kt_block_of(session);

	kt_block_nr_choosers -= block->has_devs;
	kt_block_stack_bits &= ~block->bit;
	kt_block_unwind_bits &= ~block->bit;
	kt_block_file_bits &= ~block->bit;
	bits_used &= ~block->bit;
}

u64 kt_block_wanted(void)
{
	struct kt_session *session;
	u64 wanted = 0;

	kt_peers_each(session, &kt_block_peers)
		if (kt_filter_task(session))
			wanted |= kt_block_of(session)->bit;
	return wanted;
}

u64 kt_block_wanted_of_dev(u64 wanted, u32 dev)
{
	struct kt_session *session;
	struct kt_block *block;

	kt_peers_each(session, &kt_block_peers) {
		block = kt_block_of(session);
		if (block->has_devs && kt_block_number(block, dev) == KTRACE_BLOCK_DEVS)
			wanted &= ~block->bit;
	}
	return wanted;
}

static int block_want_has(const struct kt_session_config *config, struct bio *bio,
			  const struct kt_block_file *file, u32 *steps)
{
	if (file->inode)
		return kt_block_choice_has(config, file->inode, steps);
	return file->is_unknown && kt_block_choice_may_have(config, bio) ? -ENOENT : 0;
}

u64 kt_block_wanted_of_file(u64 wanted, struct bio *bio, const struct kt_block_file *file)
{
	u32 steps = KT_BLOCK_CHOICE_STEPS;
	struct kt_session *session;
	u64 bit;
	int has;

	kt_peers_each(session, &kt_block_peers) {
		bit = kt_block_of(session)->bit;
		if (!(wanted & kt_block_file_bits & bit))
			continue;
		has = block_want_has(&session->config, bio, file, &steps);
		if (has < 0)
			this_cpu_inc(session->hot.cpu->counters.lost_files);
		if (has <= 0)
			wanted &= ~bit;
	}
	return wanted;
}

void kt_block_count_lost(u64 wanted, u64 queued)
{
	struct kt_session *session;

	kt_peers_each(session, &kt_block_peers)
		if ((wanted & kt_block_of(session)->bit) && queued >= session->hot.counts_from)
			this_cpu_inc(session->hot.cpu->counters.lost_pool);
}
