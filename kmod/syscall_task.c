// SPDX-License-Identifier: GPL-2.0
/* From a task to the system call that it is in. */
#include <linux/cpumask.h>
#include <linux/gfp.h>
#include <linux/hash.h>
#include <linux/rculist.h>
#include <linux/spinlock.h>

#include "pool.h"
#include "syscall.h"
#include "syscall_task.h"

#define TABLE_ORDER 10

struct bucket {
	struct hlist_head head;	/* readers RCU */
	spinlock_t lock;	/* guards changes of head; never taken in interrupts */
};

static struct bucket table[1 << TABLE_ORDER];
static struct kt_pool pool;
DEFINE_PER_CPU(struct kt_syscall_task *, kt_syscall_last);

static struct bucket *bucket_of(const struct task_struct *task)
{
	return &table[hash_ptr((void *)task, TABLE_ORDER)];
}

struct kt_syscall_task *kt_syscall_task_find(const struct task_struct *of)
{
	struct kt_syscall_task *task;

	hlist_for_each_entry_rcu(task, &bucket_of(of)->head, node)
		if (task->task == of) {
			__this_cpu_write(kt_syscall_last, task);
			return task;
		}
	return NULL;
}

struct kt_syscall_task *kt_syscall_task_make(void)
{
	struct bucket *bucket = bucket_of(current);
	struct kt_syscall_task *task;

	kt_pool_refill(&pool, GFP_NOWAIT);
	task = kt_pool_get(&pool);
	if (!task)
		return NULL;
	task->task = current;
	spin_lock(&bucket->lock);
	hlist_add_head_rcu(&task->node, &bucket->head);
	spin_unlock(&bucket->lock);
	__this_cpu_write(kt_syscall_last, task);
	return task;
}

static void give_back(struct rcu_head *rcu)
{
	kt_pool_put(&pool, container_of(rcu, struct kt_syscall_task, rcu));
}

/* The caller holds the bucket's lock. What a CPU remembers is found to be nobody's. */
static void drop(struct kt_syscall_task *task)
{
	WRITE_ONCE(task->task, NULL);
	hlist_del_rcu(&task->node);
	call_rcu(&task->rcu, give_back);
}

void kt_syscall_task_exit(void)
{
	struct bucket *bucket = bucket_of(current);
	struct kt_syscall_task *task;

	if (hlist_empty(&bucket->head))
		return;
	spin_lock(&bucket->lock);
	hlist_for_each_entry(task, &bucket->head, node)
		if (task->task == current) {
			drop(task);
			break;
		}
	spin_unlock(&bucket->lock);
}

void kt_syscall_task_forget_all(void)
{
	struct kt_syscall_task *task;
	struct hlist_node *next;
	struct bucket *bucket;
	int cpu;

	for (bucket = table; bucket < table + ARRAY_SIZE(table); bucket++) {
		spin_lock(&bucket->lock);
		hlist_for_each_entry_safe(task, next, &bucket->head, node)
			drop(task);
		spin_unlock(&bucket->lock);
	}
	rcu_barrier();
	for_each_possible_cpu(cpu)
		per_cpu(kt_syscall_last, cpu) = NULL;
	kt_pool_trim(&pool, 0);
}

void kt_syscall_task_init(void)
{
	struct bucket *bucket;

	for (bucket = table; bucket < table + ARRAY_SIZE(table); bucket++)
		spin_lock_init(&bucket->lock);
	kt_pool_init(&pool, sizeof(struct kt_syscall_task), 16);
}
