// SPDX-License-Identifier: GPL-2.0
/*
 * The maps of processes, by mm. A hit that finds no map of its process, or an old one, leaves the
 * mm in a slot of its CPU, and a work makes the map. The reference to the mm_struct keeps its
 * address from being used by another process; the memory of the process itself is not kept.
 */
#include <linux/delay.h>
#include <linux/hash.h>
#include <linux/irq_work.h>
#include <linux/jiffies.h>
#include <linux/math64.h>
#include <linux/mm.h>
#include <linux/percpu.h>
#include <linux/rculist.h>
#include <linux/sched.h>
#include <linux/sched/mm.h>
#include <linux/workqueue.h>

#include <uapi/ktrace.h>

#include "compat/rcu.h"
#include "core/event.h"
#include "core/unwind_changes.h"
#include "core/unwind_maps.h"
#include "lib/control.h"
#include "lib/mem.h"
#include "lib/pids.h"
#include "lib/ticks.h"

#define BUCKETS_ORDER 11
#define MOST_PROCESSES 4096	/* others are walked by frame pointers */
#define SWEEPS 4		/* per second: processes that ended are removed */

struct unwind_process {
	struct hlist_node node;		/* kt_unwind_lock, readers RCU */
	struct hlist_node taken;	/* in a list of those to free; hits may follow node */
	struct mm_struct *mm;		/* with a reference to the struct */
	struct kt_unwind_map __rcu *map;	/* or NULL */
	atomic_t nr_added;		/* changes that leave the map's ranges as they are */
	atomic_t nr_replaced;		/* changes of its ranges */
	unsigned long tried;		/* jiffies: hits want a map after it, changes from it on */
	int told;			/* nr_added + nr_replaced at the last report */
	u64 told_to;			/* nr_listened at the last report; 0: not reported */
};

static struct hlist_head buckets[1 << BUCKETS_ORDER];	/* kt_unwind_lock, readers RCU */
static u32 nr_owners;		/* written under kt_unwind_lock */
static LIST_HEAD(listeners);		/* kt_unwind_lock */
static u64 nr_listened;			/* all listeners so far; written under kt_unwind_lock */
static unsigned long swept;		/* jiffies; the work's */

/* --- in hits ---------------------------------------------------------------- */

/* The process of which a CPU wants a map. A hit on this CPU fills it; the work empties it. */
struct unwind_slot {
	struct mm_struct *mm;		/* with a reference; NULL: empty */
	pid_t tgid;			/* set before mm is */
};

static DEFINE_PER_CPU(struct unwind_slot, slot);

static void unwind_maps_work(struct work_struct *work);
static DECLARE_DELAYED_WORK(work, unwind_maps_work);
static unsigned long worked;		/* jiffies */
static u32 nr_worked;			/* how often in that tick */
static struct irq_work kick;

/* A program that begins maps its libraries in one tick, and may be hit in the same. */
#define MOST_WORKS 4			/* per tick */

static void unwind_maps_irq(struct irq_work *irq)
{
	bool is_late = !time_after(jiffies, READ_ONCE(worked)) &&
		       READ_ONCE(nr_worked) >= MOST_WORKS;

	mod_delayed_work(kt_queue, &work, is_late);
}

static void unwind_maps_count_work(void)
{
	unsigned long now = jiffies;

	WRITE_ONCE(nr_worked, worked == now ? nr_worked + 1 : 1);
	WRITE_ONCE(worked, now);
}

/* Interrupts are off. */
static void unwind_maps_note(void)
{
	struct unwind_slot *of = this_cpu_ptr(&slot);

	/* A child of vfork() will soon be another program: not it is reported, but its parent. */
	if (READ_ONCE(of->mm) || current->vfork_done)
		return;
	atomic_inc(&current->mm->mm_count);
	WRITE_ONCE(of->tgid, current->tgid);
	/* Also a full barrier. */
	xchg(&of->mm, current->mm);
	irq_work_queue(&kick);
}

static struct hlist_head *unwind_maps_bucket(const struct mm_struct *mm)
{
	return &buckets[hash_ptr((void *)mm, BUCKETS_ORDER)];
}

/* The table has at most MOST_PROCESSES processes, whose addresses no program chooses. */
static struct unwind_process *unwind_maps_find(const struct mm_struct *mm)
{
	struct unwind_process *process;

	hlist_for_each_entry_rcu(process, unwind_maps_bucket(mm), node)
		if (process->mm == mm)
			return process;
	return NULL;
}

static bool unwind_maps_is_trusted(const struct unwind_process *process,
				   const struct kt_unwind_map *map)
{
	return map && map->nr_replaced == atomic_read(&process->nr_replaced) &&
	       map->unseen == kt_unwind_changes_unseen(process->mm);
}

static bool unwind_maps_is_new(const struct unwind_process *process,
			       const struct kt_unwind_map *map)
{
	return map->nr_added == atomic_read(&process->nr_added) &&
	       map->generation == kt_unwind_store_generation() &&
	       map->listened == READ_ONCE(nr_listened);
}

const struct kt_unwind_map *kt_unwind_maps_get(void)
{
	const struct unwind_process *process = unwind_maps_find(current->mm);
	const struct kt_unwind_map *map = NULL;

	if (process) {
		map = rcu_dereference_sched(process->map);
		if (!unwind_maps_is_trusted(process, map))
			map = NULL;
		if (map && unwind_maps_is_new(process, map))
			return map;
		if (!time_after(jiffies, READ_ONCE(process->tried)))
			return map;
	} else if (READ_ONCE(nr_owners) == MOST_PROCESSES) {
		return NULL;
	}
	unwind_maps_note();
	return map;
}

/*
 * Most mappings of anonymous memory are those of compilers at run time, whose code no table has.
 * They are of interest only if they replace mapped code of a file.
 */
void kt_unwind_maps_changed(const struct mm_struct *mm, unsigned long start, unsigned long end,
			    bool has_file)
{
	const struct kt_unwind_map *map;
	struct unwind_process *process;
	bool is_wanted;

	rcu_read_lock_sched();
	process = unwind_maps_find(mm);
	map = process ? rcu_dereference_sched(process->map) : NULL;
	if (map && kt_unwind_map_overlaps(map, start, end))
		atomic_inc(&process->nr_replaced);
	else if (process && has_file)
		atomic_inc(&process->nr_added);
	/* The new code may be on a stack soon. */
	is_wanted = process && has_file && mm == current->mm &&
		    !time_before(jiffies, READ_ONCE(process->tried));
	rcu_read_unlock_sched();
	if (is_wanted)
		kt_unwind_maps_prepare();
}

void kt_unwind_maps_prepare(void)
{
	unsigned long flags;

	local_irq_save(flags);
	unwind_maps_note();
	local_irq_restore(flags);
}

/* --- making maps ------------------------------------------------------------ */

static void unwind_maps_free_rcu(struct rcu_head *rcu)
{
	kt_unwind_map_free(container_of(rcu, struct kt_unwind_map, rcu));
}

static void unwind_maps_replace(struct unwind_process *process, struct kt_unwind_map *map)
{
	struct kt_unwind_map *old = rcu_dereference_raw(process->map);

	rcu_assign_pointer(process->map, map);
	if (old)
		call_rcu(&old->rcu, unwind_maps_free_rcu);
}

/*
 * A change that caused this work holds the lock for a moment longer. A program may hold it for
 * ever, so it is not waited for without a limit.
 */
static bool unwind_maps_lock(struct mm_struct *mm)
{
	int tries;

	for (tries = 0; tries < 5; tries++) {
		if (mmap_read_trylock(mm))
			return true;
		usleep_range(100, 300);
	}
	return false;
}

/*
 * A change of mappings waits for the mmap lock: so the numbers of changes are those of the map, and
 * a later change finds the new map.
 */
static void unwind_maps_make(struct unwind_process *process)
{
	struct kt_unwind_map *map = rcu_dereference_raw(process->map);

	/* The slots of two CPUs may have the same process. */
	if (unwind_maps_is_trusted(process, map) && unwind_maps_is_new(process, map))
		return;
	if (!unwind_maps_lock(process->mm))
		return;
	map = kt_unwind_map_create(process->mm);
	if (map) {
		map->nr_added = atomic_read(&process->nr_added);
		map->nr_replaced = atomic_read(&process->nr_replaced);
		map->listened = nr_listened;
		unwind_maps_replace(process, map);
	}
	mmap_read_unlock(process->mm);
}

/* Returns false if there was nothing to report. */
static bool unwind_maps_tell(struct unwind_process *process, pid_t tgid)
{
	const struct kt_unwind_map *map = rcu_dereference_raw(process->map);
	struct kt_event event = { .what = KTRACE_EVENT_MAPS };
	const struct kt_unwind_listener *listener;
	int now;

	if (!map || !map->has_unknown)
		return false;
	now = map->nr_added + map->nr_replaced;
	if (process->told_to == nr_listened && process->told == now)
		return false;
	process->told = now;
	process->told_to = nr_listened;
	list_for_each_entry(listener, &listeners, node) {
		event.session = listener->session;
		event.pid = kt_pid_in(tgid, listener->pid_ns);
		if (event.pid)
			kt_event_tell(&event);
	}
	return true;
}

static struct unwind_process *unwind_maps_add(struct mm_struct *mm)
{
	struct unwind_process *process;

	if (nr_owners == MOST_PROCESSES)
		return NULL;
	process = kt_mem_alloc(sizeof(*process));
	if (!process)
		return NULL;
	atomic_inc(&mm->mm_count);
	process->mm = mm;
	hlist_add_head_rcu(&process->node, unwind_maps_bucket(mm));
	WRITE_ONCE(nr_owners, nr_owners + 1);
	return process;
}

/*
 * A program may map code all the time, and unknown files, too. So mappings that take long to look
 * at are looked at less often, at an eighth of a CPU, and reports have at least a tenth of a second
 * between them.
 */
static unsigned long unwind_maps_pause(u64 start, bool has_told)
{
	u64 ns = kt_ticks_to_ns(kt_ticks() - start);
	unsigned long pause = div_u64(ns, TICK_NSEC / 8);

	/* An eighth, also if there are as many works as possible. */
	if (ns > TICK_NSEC / 8 / MOST_WORKS && !pause)
		pause = 1;
	return has_told ? max_t(unsigned long, pause, HZ / 10) : pause;
}

/* The caller has a reference to the memory of the process, and holds the lock. */
static void unwind_maps_renew(struct mm_struct *mm, pid_t tgid)
{
	struct unwind_process *process;
	u64 start = kt_ticks();
	bool has_told;

	rcu_read_lock();
	process = unwind_maps_find(mm);
	rcu_read_unlock();
	if (!process)
		process = unwind_maps_add(mm);
	if (!process)
		return;
	unwind_maps_make(process);
	has_told = unwind_maps_tell(process, tgid);
	WRITE_ONCE(process->tried, jiffies + unwind_maps_pause(start, has_told));
}

/*
 * Memory of a process is kept only while it is looked at: the process may end while the lock is
 * waited for.
 */
static void unwind_maps_renew_living(struct mm_struct *mm, pid_t tgid)
{
	bool is_alive;

	mutex_lock(&kt_unwind_lock);
	is_alive = !list_empty(&listeners) && atomic_inc_not_zero(&mm->mm_users);
	if (is_alive)
		unwind_maps_renew(mm, tgid);
	mutex_unlock(&kt_unwind_lock);
	if (is_alive)
		mmput(mm);
}

static void unwind_maps_empty_slot(struct unwind_slot *of)
{
	struct mm_struct *mm = READ_ONCE(of->mm);
	pid_t tgid = READ_ONCE(of->tgid);

	if (!mm)
		return;
	xchg(&of->mm, NULL);
	unwind_maps_renew_living(mm, tgid);
	mmdrop(mm);
}

/* --- ends ------------------------------------------------------------------- */

static void unwind_maps_take(struct unwind_process *process, struct hlist_head *taken)
{
	hlist_del_rcu(&process->node);
	hlist_add_head(&process->taken, taken);
	WRITE_ONCE(nr_owners, nr_owners - 1);
}

#define each_process(process, next, bucket)					\
	for ((bucket) = buckets; (bucket) < buckets + ARRAY_SIZE(buckets); (bucket)++) \
		hlist_for_each_entry_safe(process, next, bucket, node)

static void unwind_maps_take_ended(struct hlist_head *taken)
{
	struct unwind_process *process;
	struct hlist_head *bucket;
	struct hlist_node *next;

	lockdep_assert_held(&kt_unwind_lock);
	each_process(process, next, bucket)
		if (!atomic_read(&process->mm->mm_users))
			unwind_maps_take(process, taken);
}

void kt_unwind_maps_take_unused(struct hlist_head *taken)
{
	bool is_last = list_empty(&listeners);
	struct unwind_process *process;
	const struct kt_unwind_map *map;
	struct hlist_head *bucket;
	struct hlist_node *next;

	lockdep_assert_held(&kt_unwind_lock);
	each_process(process, next, bucket) {
		map = rcu_dereference_raw(process->map);
		if (is_last || (map && kt_unwind_map_has_unused(map)))
			unwind_maps_take(process, taken);
	}
}

void kt_unwind_maps_free(struct hlist_head *taken)
{
	struct unwind_process *process;
	struct hlist_node *next;

	hlist_for_each_entry_safe(process, next, taken, taken) {
		kt_unwind_map_free(rcu_dereference_raw(process->map));
		mmdrop(process->mm);
		kt_mem_free(process, sizeof(*process));
	}
}

static void unwind_maps_work(struct work_struct *unused)
{
	HLIST_HEAD(ended);
	bool is_wanted;
	int cpu;

	unwind_maps_count_work();
	for_each_possible_cpu(cpu)
		unwind_maps_empty_slot(per_cpu_ptr(&slot, cpu));
	mutex_lock(&kt_unwind_lock);
	is_wanted = !list_empty(&listeners);
	if (is_wanted && time_after(jiffies, swept + HZ / SWEEPS)) {
		swept = jiffies;
		unwind_maps_take_ended(&ended);
	}
	mutex_unlock(&kt_unwind_lock);
	if (!hlist_empty(&ended)) {
		/* Nobody waits for this. */
		synchronize_rcu();
		kt_unwind_maps_free(&ended);
	}
	/* Processes end without a hit. */
	if (is_wanted)
		queue_delayed_work(kt_queue, &work, HZ);
}

void kt_unwind_maps_listen(struct kt_unwind_listener *listener)
{
	lockdep_assert_held(&kt_unwind_lock);
	list_add_tail(&listener->node, &listeners);
	WRITE_ONCE(nr_listened, nr_listened + 1);
	queue_delayed_work(kt_queue, &work, HZ);
}

void kt_unwind_maps_leave(struct kt_unwind_listener *listener)
{
	lockdep_assert_held(&kt_unwind_lock);
	list_del(&listener->node);
}

void kt_unwind_maps_init(void)
{
	init_irq_work(&kick, unwind_maps_irq);
}

/* Without a listener, the work empties the slots and does nothing else. */
void kt_unwind_maps_exit(void)
{
	irq_work_sync(&kick);
	cancel_delayed_work_sync(&work);
	unwind_maps_work(NULL);
	rcu_barrier();
}
