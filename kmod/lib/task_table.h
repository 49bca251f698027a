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

#define KT_TASK_TABLE_ORDER 13	/* of tens of thousands of tasks, a bucket has a few */

/* First member of the data that a provider keeps of a task. */
struct kt_task_entry {
	struct hlist_node node;
	struct rcu_head rcu;
	struct kt_task_table *table;
	const struct task_struct *task;	/* compared, never followed; NULL if dropped */
};

struct kt_task_bucket {
	struct hlist_head head;	/* readers RCU */
	raw_spinlock_t lock;	/* guards changes of head; under scheduler locks, too */
};

/* Entries of one size, found by task. An entry is dropped when its task ends. */
struct kt_task_table {
	struct kt_task_keeper keeper;
	struct kt_pool pool;
	void (*exec)(void);	/* current runs a program; or NULL */
	void (*exit)(void);	/* current ends, its entry still exists; or NULL */
	struct kt_task_bucket buckets[1 << KT_TASK_TABLE_ORDER];
};

static inline struct kt_task_bucket *kt_task_bucket_of(struct kt_task_table *table,
						       const struct task_struct *task)
{
	return &table->buckets[hash_ptr((void *)task, KT_TASK_TABLE_ORDER)];
}

/* Returns the entry of task, or NULL. Any context, RCU reader, preemption off. */
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
 * len is the size of an entry, low is that of the pool, which the provider refills before it adds
 * entries. Called while the module loads, before the first task event.
 */
void kt_task_table_init(struct kt_task_table *table, size_t len, u32 low);
/*
 * Adds a zeroed entry for a task that has none. Returns NULL if the pool is empty. Any context but
 * NMI.
 */
struct kt_task_entry *kt_task_table_add(struct kt_task_table *table, struct task_struct *task);
/*
 * Drops all entries, and frees all memory. No entry is added meanwhile, but tasks may end. Process
 * context, sleeps.
 */
void kt_task_table_clear(struct kt_task_table *table);

#endif
