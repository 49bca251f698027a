// SPDX-License-Identifier: GPL-2.0
/* Tables in which a provider keeps data of tasks. */
#include <linux/kernel.h>

#include "compat/rcu.h"
#include "lib/task_table.h"

#define each_bucket(bucket, table)						\
	for ((bucket) = (table)->buckets;					\
	     (bucket) < (table)->buckets + ARRAY_SIZE((table)->buckets); (bucket)++)

struct kt_task_entry *kt_task_table_add(struct kt_task_table *table, struct task_struct *task)
{
	struct kt_task_bucket *bucket = kt_task_bucket_of(table, task);
	struct kt_task_entry *entry = kt_pool_get(&table->pool);
	unsigned long flags;

	if (!entry)
		return NULL;
	entry->table = table;
	entry->task = task;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_add_head_rcu(&entry->node, &bucket->head);
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	return entry;
}

static void task_table_give_back(struct rcu_head *rcu)
{
	struct kt_task_entry *entry = container_of(rcu, struct kt_task_entry, rcu);

	kt_pool_put(&entry->table->pool, entry);
}

/* The caller holds the bucket's lock. A CPU that has cached the entry finds no task in it. */
static void task_table_unlink_entry(struct kt_task_entry *entry)
{
	WRITE_ONCE(entry->task, NULL);
	hlist_del_rcu(&entry->node);
}

/* Not under locks of the scheduler, since call_rcu() may wake a task. */
static void task_table_drop(struct kt_task_table *table, const struct task_struct *task)
{
	struct kt_task_bucket *bucket = kt_task_bucket_of(table, task);
	struct kt_task_entry *entry, *found = NULL;
	unsigned long flags;

	if (hlist_empty(&bucket->head))
		return;
	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry(entry, &bucket->head, node)
		if (entry->task == task) {
			task_table_unlink_entry(entry);
			found = entry;
			break;
		}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	if (found)
		call_rcu(&found->rcu, task_table_give_back);
}

/* --- tasks begin and end ---------------------------------------------------- */

static struct kt_task_table *task_table_table_of(struct kt_task_keeper *keeper)
{
	return container_of(keeper, struct kt_task_table, keeper);
}

static void task_table_on_drop(struct kt_task_keeper *keeper, const struct task_struct *task)
{
	task_table_drop(task_table_table_of(keeper), task);
}

static void task_table_on_exec(struct kt_task_keeper *keeper)
{
	struct kt_task_table *table = task_table_table_of(keeper);

	if (table->exec)
		table->exec();
}

static void task_table_on_exit(struct kt_task_keeper *keeper)
{
	struct kt_task_table *table = task_table_table_of(keeper);

	if (table->exit)
		table->exit();
	task_table_drop(table, current);
}

void kt_task_table_init(struct kt_task_table *table, size_t len, u32 low)
{
	struct kt_task_bucket *bucket;

	each_bucket(bucket, table)
		raw_spin_lock_init(&bucket->lock);
	kt_pool_init(&table->pool, len, low);
	table->keeper.drop = task_table_on_drop;
	table->keeper.exec = task_table_on_exec;
	table->keeper.exit = task_table_on_exit;
	kt_task_keeper_add(&table->keeper);
}

/* --- a table ends ----------------------------------------------------------- */

static void task_table_clear_bucket(struct kt_task_bucket *bucket)
{
	struct kt_task_entry *entry;
	struct hlist_node *next;
	HLIST_HEAD(dropped);
	unsigned long flags;

	raw_spin_lock_irqsave(&bucket->lock, flags);
	hlist_for_each_entry_safe(entry, next, &bucket->head, node) {
		task_table_unlink_entry(entry);
		hlist_add_head(&entry->node, &dropped);
	}
	raw_spin_unlock_irqrestore(&bucket->lock, flags);
	hlist_for_each_entry_safe(entry, next, &dropped, node)
		call_rcu(&entry->rcu, task_table_give_back);
}

void kt_task_table_clear(struct kt_task_table *table)
{
	struct kt_task_bucket *bucket;

	each_bucket(bucket, table)
		task_table_clear_bucket(bucket);
	/* A task that ends may have unlinked its entry, but not called call_rcu() yet. */
	kt_wait_for_hits();
	rcu_barrier();
	kt_pool_trim(&table->pool, 0);
}
