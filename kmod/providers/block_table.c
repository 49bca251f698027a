// SPDX-License-Identifier: GPL-2.0
/*
 * Requests in rows by chosen keys. The keys are those of the task that queued the request, which
 * may have ended by now.
 */
#include <linux/percpu.h>
#include <linux/smp.h>

#include <uapi/ktrace.h>

#include "core/figures.h"
#include "core/session.h"
#include "core/table.h"
#include "providers/block_record.h"
#include "providers/block_request.h"
#include "providers/block_table.h"
#include "providers/block_who.h"

/* Keys that are noted at the queueing. CPU is not one of them: it is that of the completion. */
#define KEYS_OF_WHO (1U << KTRACE_KEY_TID | 1U << KTRACE_KEY_PID | 1U << KTRACE_KEY_COMM | \
		     1U << KTRACE_KEY_UID | 1U << KTRACE_KEY_CGROUP | 1U << KTRACE_KEY_FILE)

bool kt_block_table_asks(const struct ktrace_table *shape)
{
	int i;

	for (i = 0; i < KTRACE_TABLE_KEYS; i++)
		if (KEYS_OF_WHO & 1U << shape->keys[i])
			return true;
	return shape->values & 1ULL << KTRACE_FIGURE_COMM;
}

/* A request that ended. */
struct ended {
	const struct kt_block_stamps *stamps;
	const struct kt_block_who *who;
	u32 op;
};

static u64 block_table_number_of(u32 key, const struct ended *ended)
{
	switch (key) {
	case KTRACE_KEY_TID:
		return ended->who->tid;
	case KTRACE_KEY_PID:
		return ended->who->tgid;
	case KTRACE_KEY_UID:
		return ended->who->uid;
	case KTRACE_KEY_CGROUP:
		return ended->who->cgroup;
	case KTRACE_KEY_CPU:
		return smp_processor_id();
	case KTRACE_KEY_DEVICE:
		return ended->stamps->dev;
	case KTRACE_KEY_OPERATION:
		return ended->op;
	default:
		return KTRACE_BLOCK_Q2C;
	}
}

/* Stores the keys. Returns the address of the word for the stage, or NULL if it is not a key. */
static u64 *block_table_put_key(const struct ktrace_table *shape, const struct ended *ended,
				u64 *to)
{
	u64 *stage = NULL;
	u32 key, i;

	for (i = 0; i < KTRACE_TABLE_KEYS && shape->keys[i]; i++) {
		key = shape->keys[i];
		if (key == KTRACE_KEY_COMM) {
			kt_table_put_comm(to, ended->who->comm);
			to += 2;
		} else if (key == KTRACE_KEY_FILE) {
			*to++ = ended->who->file_dev;
			*to++ = ended->who->inode;
		} else {
			stage = key == KTRACE_KEY_STAGE ? to : stage;
			*to++ = block_table_number_of(key, ended);
		}
	}
	return stage;
}

void kt_block_count_rows(struct kt_session *session, const struct kt_block_stamps *stamps,
			 const struct kt_block_times *times, u32 op, u64 now, int error)
{
	struct ktrace_counters *counters = &this_cpu_ptr(session->hot.cpu)->counters;
	const struct ended request = { stamps, kt_block_who_get(stamps), op };
	struct kt_table *table = kt_figures_table(session);
	struct kt_table_noted event = {
		.comm = table->is_of_process ? request.who->process : request.who->comm,
		.now = now,
	};
	u64 *at = block_table_put_key(&table->shape, &request, event.key), ns[KTRACE_BLOCK_Q2C];
	u32 stages = at ? kt_block_split(stamps, times, ns) : 0, stage;
	struct kt_hist *row;

	for (stage = 0; stage < KTRACE_BLOCK_Q2C; stage++) {
		if (!(stages & 1U << stage))
			continue;
		*at = stage;
		kt_table_count_noted(table, &event, ns[stage], counters);
	}
	if (at)
		*at = KTRACE_BLOCK_Q2C;
	row = kt_table_count_noted(table, &event, times->completed, counters);
	if (unlikely(!row))
		return;
	row->bytes += stamps->bytes;
	row->errors += error != 0;
}
