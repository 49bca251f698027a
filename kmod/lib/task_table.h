/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TASK_TABLE_H
#define KT_TASK_TABLE_H

#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/spinlock.h>
#include <linux/types.h>

#include "lib/pool.h"
#include "lib/task_keeper.h"

#define KT_TASK_TABLE_ORDER 10

/* First member of what a provider keeps of a task. */
struct kt_task_entry {
	struct hlist_node node;
	struct rcu_head rcu;
	struct kt_task_table *table;
	const struct task_struct *task;	/* compared, never followed; NULL: it was dropped */
};

struct kt_task_bucket {
	struct hlist_head head;	/* readers RCU */
	raw_spinlock_t lock;	/* guards changes of head; taken under the scheduler's locks */
};

/* From tasks to entries of one size, each dropped when its task ends. */
struct kt_task_table {
	struct kt_task_keeper keeper;
	struct kt_pool pool;
	void (*exec)(void);	/* current runs a program; or NULL */
	void (*exit)(void);	/* current ends, and has its entry still; or NULL */
	struct kt_task_bucket buckets[1 << KT_TASK_TABLE_ORDER];
};

static inline struct kt_task_bucket *kt_task_bucket_of(struct kt_task_table *table,
						       const struct task_struct *task)
{
	return &table->buckets[hash_ptr((void *)task, KT_TASK_TABLE_ORDER)];
}

/* A task's, or NULL. Any context, RCU reader, preemption off. */
static __always_inline struct kt_task_entry *kt_task_table_find(struct kt_task_table *table,
								const struct task_struct *task)
{
	struct kt_task_entry *entry;

	hlist_for_each_entry_rcu(entry, &kt_task_bucket_of(table, task)->head, node)
		if (entry->task == task)
			return entry;
	return NULL;
}

/*
 * len: of an entry; low: as of the pool, which whoever adds refills. While the module is loaded,
 * before tasks are listened to.
 */
void kt_task_table_init(struct kt_task_table *table, size_t len, u32 low);
/* Of a task that has none: zeroed; NULL: the pool is empty. Any context but NMI. */
struct kt_task_entry *kt_task_table_add(struct kt_task_table *table, struct task_struct *task);
/* Process context, when none is added: tasks may end meanwhile. Gives all memory back. */
void kt_task_table_clear(struct kt_task_table *table);

#endif
