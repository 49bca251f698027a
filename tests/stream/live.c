// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "live.h"
#include "made.h"
#include "util/clock.h"

#define PERIOD (CLOCK_SECOND / 99)
#define FIGURE(of) { .id = KTRACE_FIGURE_##of, .kind = KTRACE_COLUMN_SUM }
#define KEY(of) { .name = #of, .id = KTRACE_KEY_##of, .is_key = 1, .kind = KTRACE_COLUMN_NUMBER }

static const struct ktr_table calls = {
	.columns = (const struct ktrace_column[]){ KEY(SYSCALL), FIGURE(CALLS), FIGURE(TOTAL) },
	.at = (const uint32_t[]){ 0, 1, 2 }, .nr_columns = 3,
};

static const struct ktr_table requests = {
	.columns = (const struct ktrace_column[]){
		KEY(DEVICE), KEY(OPERATION), KEY(STAGE), FIGURE(CALLS), FIGURE(TOTAL), FIGURE(BYTES),
	},
	.at = (const uint32_t[]){ 0, 1, 2, 3, 4, 5 }, .nr_columns = 6,
};

static void give(const struct ktr_table *table, const uint64_t *cells, ktr_row_fn fn, void *arg)
{
	fn(arg, &(struct ktr_row){ .table = table, .cells = cells });
}

/* 90 read(), and 10 write() that take longer together. */
static void give_calls(ktr_row_fn fn, void *arg)
{
	give(&calls, (const uint64_t []){ 0, 90, 90000 }, fn, arg);
	give(&calls, (const uint64_t []){ 1, 10, 910000 }, fn, arg);
}

/* 5 reads of a disk without a name. */
static void give_requests(ktr_row_fn fn, void *arg)
{
	static const uint32_t stages[] = { KTRACE_BLOCK_D2C, KTRACE_BLOCK_Q2C };
	size_t i;

	for (i = 0; i < 2; i++)
		give(&requests, (const uint64_t []){
			259 << 20 | 4242, KTRACE_BLOCK_READ, stages[i], 5, 5000 * (i + 1), 20480,
		}, fn, arg);
}

bool live_rows(uint32_t provider, ktr_row_fn fn, void *arg)
{
	if (provider == KTRACE_PROVIDER_SYSCALLS)
		give_calls(fn, arg);
	else if (provider == KTRACE_PROVIDER_BLOCK)
		give_requests(fn, arg);
	return provider == KTRACE_PROVIDER_SYSCALLS || provider == KTRACE_PROVIDER_BLOCK;
}

void live_fill(struct ktr_session *session)
{
	struct ktrace_counters *counters = &session->counters;

	if (session->provider == KTRACE_PROVIDER_USER)
		return;
	memset(counters, 0, sizeof(*counters));
	counters->hits = session->now.monotonic / PERIOD;
	counters->run_cnt = counters->hits / 10;
	counters->run_ns = counters->run_cnt * 1000;
	if (getenv("KTRACE_PLAYED_LOST"))
		counters->lost_stacks = counters->hits;
}

int ktr_sessions_reset(struct ktr *ktr, const uint64_t *ids, size_t nr, uint32_t flags)
{
	(void)ktr, (void)nr, (void)flags;
	return made_is_deleted(*ids) ? -ENOENT : 0;
}

/* --- samples: 3 of 4 in a function of this program, the rest in vfs_read() -------------------- */

int ktr_node_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_node_fn fn, void *arg)
{
	static const struct ktrace_node nodes[] = {
		{ 1, KTRACE_NODE_ROOT, KTRACE_PROFILE_USER, 0, 75, 75 * PERIOD, 0 },
		{ 2, 1, 0, 0, 75, 75 * PERIOD, 0 },
		{ 3, KTRACE_NODE_ROOT, KTRACE_PROFILE_KERNEL, 0, 25, 25 * PERIOD, 0 },
		{ 4, 3, 1, 0, 25, 25 * PERIOD, 0 },
	};

	(void)ktr, (void)flags;
	if (made_is_deleted(id))
		return -ENOENT;
	fn(arg, nodes, 4);
	return 0;
}

int ktr_stack_each(struct ktr *ktr, uint64_t id, uint64_t from, ktr_stack_fn fn, void *arg)
{
	static const char names[] = "vfs_read\0ksys_read";
	const uint64_t frames[] = { (uintptr_t)live_rows };
	const struct ktr_stack stacks[] = {
		{ .nr = 0, .comm = "played", .pid = getpid(), .frames = frames, .nr_frames = 1 },
		{ .nr = 1, .comm = "played", .names = names, .names_len = sizeof(names) },
	};

	const char *wanted = getenv("KTRACE_PLAYED_STACKS");
	uint64_t nr = wanted ? strtoul(wanted, NULL, 10) : 2;
	struct ktr_stack stack;

	(void)ktr;
	if (made_is_deleted(id))
		return -ENOENT;
	for (; from < nr; from++) {
		stack = stacks[from % 2];
		stack.nr = from;
		fn(arg, &stack);
	}
	return 0;
}
