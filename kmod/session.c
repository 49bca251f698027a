// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: made by a command, attached by a workqueue, ended once.
 *
 * How one ends: delete takes it off the list, so that nobody finds it any
 * more; removes its probes and waits until no hit runs; closes the open
 * frames of its tasks; then drops the list's reference. Dumps that still hold
 * one read on, and the last put frees.
 */
#include <linux/cpumask.h>
#include <linux/file.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/string.h>
#include <linux/timekeeping.h>

#include "clock.h"
#include "compat.h"
#include "genl.h"
#include "hist.h"
#include "mem.h"
#include "ring.h"
#include "session.h"
#include "shadow.h"
#include "site.h"
#include "tree.h"

DEFINE_MUTEX(kt_control); /* see session.h */

static LIST_HEAD(sessions);	/* changed under kt_control, read by RCU */
static u64 last_id;		/* under kt_control */
static atomic_t nr_alive = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(all_gone);
static struct workqueue_struct *queue;

void kt_clocks_read(struct ktrace_clocks *c)
{
	preempt_disable();
	c->monotonic = ktime_get_ns();
	c->realtime = ktime_to_ns(ktime_get_real());
	c->boottime = ktime_to_ns(ktime_get_boottime());
	c->tsc = get_cycles();
	preempt_enable();
}

/* --- memory ------------------------------------------------------------- */

static size_t hists_len(const struct kt_session *session)
{
	return session->config.nr_funcs * sizeof(struct kt_hist *);
}

static int make_cpus(struct kt_session *session)
{
	struct kt_session_cpu *cpu;
	int i;

	session->cpu = alloc_percpu(struct kt_session_cpu);
	if (!session->cpu)
		return -ENOMEM;
	for_each_possible_cpu(i) {
		cpu = per_cpu_ptr(session->cpu, i);
		if (!(session->config.flags & KTRACE_F_HIST))
			continue;
		cpu->hist = kt_mem_alloc(max_t(size_t, hists_len(session), 1));
		if (!cpu->hist)
			return -ENOMEM;
	}
	return 0;
}

static void put_cpus(struct kt_session *session)
{
	struct kt_session_cpu *cpu;
	u32 func;
	int i;

	if (!session->cpu)
		return;
	for_each_possible_cpu(i) {
		cpu = per_cpu_ptr(session->cpu, i);
		for (func = 0; cpu->hist && func < session->config.nr_funcs; func++)
			kt_hist_put(cpu->hist[func]);
		kt_mem_free(cpu->hist, max_t(size_t, hists_len(session), 1));
	}
	free_percpu(session->cpu);
}

static int make_sinks(struct kt_session *session)
{
	const struct kt_session_config *config = &session->config;

	if (config->flags & KTRACE_F_TREE) {
		session->tree = kt_tree_create(config->max_nodes);
		if (!session->tree)
			return -ENOMEM;
	}
	if (config->flags & KTRACE_F_STREAM) {
		session->ring = kt_ring_create(config->nr_subbufs,
					       config->flags & KTRACE_F_OVERWRITE,
					       session->id, session->cookie);
		if (!session->ring)
			return -ENOMEM;
	}
	return 0;
}

static void put_sinks(struct kt_session *session)
{
	if (session->ring)
		kt_ring_put(session->ring);
	kt_tree_put(session->tree);
}

static void put_config(struct kt_session_config *config)
{
	u32 i;

	for (i = 0; i < config->nr_pids; i++)
		put_pid(config->pids[i]);
	kfree(config->pids);
	if (config->file)
		fput(config->file);
}

static void put_batches(struct kt_session *session)
{
	struct kt_batch *batch, *next;

	list_for_each_entry_safe(batch, next, &session->batches, node) {
		list_del(&batch->node);
		kt_batch_put(batch);
	}
}

static size_t funcs_len(const struct kt_session *session)
{
	return max_t(size_t, session->config.nr_funcs * sizeof(struct kt_func), 1);
}

/* All but the configuration, whose references a failed create leaves to the caller. */
static void put_parts(struct kt_session *session)
{
	put_batches(session);
	kt_sites_put(session);
	put_sinks(session);
	put_cpus(session);
	kt_mem_free(session->funcs, funcs_len(session));
}

static void trim_pools(void)
{
	kt_shadow_trim();
	kt_hist_trim();
	kt_tree_trim();
}

static void free_work(struct work_struct *work)
{
	struct kt_session *session = container_of(work, struct kt_session, work);

	synchronize_rcu();
	put_parts(session);
	put_config(&session->config);
	kt_mem_free(session, sizeof(*session));
	/* A session made from here on finds what it needs in the pools, or makes it. */
	mutex_lock(&kt_control);
	if (!atomic_dec_return(&nr_alive)) {
		trim_pools();
		wake_up_all(&all_gone);
	}
	mutex_unlock(&kt_control);
	module_put(THIS_MODULE);
}

static void release(struct kref *ref)
{
	struct kt_session *session = container_of(ref, struct kt_session, ref);

	INIT_WORK(&session->work, free_work);
	queue_work(queue, &session->work);
}

void kt_session_put(struct kt_session *session)
{
	kref_put(&session->ref, release);
}

/* --- finding ------------------------------------------------------------ */

static bool is_called(const struct kt_session *session, u64 id, const char *name)
{
	return name ? !strcmp(session->config.name, name) : session->id == id;
}

struct kt_session *kt_session_find(u64 id, const char *name)
{
	struct kt_session *session, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(session, &sessions, node)
		if (is_called(session, id, name) && kref_get_unless_zero(&session->ref)) {
			found = session;
			break;
		}
	rcu_read_unlock();
	return found;
}

/* The list is in order of id. */
struct kt_session *kt_session_next(u64 after)
{
	struct kt_session *session, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(session, &sessions, node)
		if (session->id > after && kref_get_unless_zero(&session->ref)) {
			found = session;
			break;
		}
	rcu_read_unlock();
	return found;
}

/* --- life --------------------------------------------------------------- */

static void set_state(struct kt_session *session, int state, int error)
{
	lockdep_assert_held(&kt_control);
	session->error = error;
	WRITE_ONCE(session->state, state);
	kt_genl_notify(session->id, KTRACE_EVENT_STATE, 0, error);
}

u32 kt_session_get_state(struct kt_session *session, int *error)
{
	u32 state = READ_ONCE(session->state);

	*error = READ_ONCE(session->error);
	return state;
}

static void attach_work(struct work_struct *work)
{
	struct kt_session *session = container_of(work, struct kt_session, work);
	int error = kt_sites_attach(session);

	mutex_lock(&kt_control);
	set_state(session, error ? KTRACE_STATE_FAILED : KTRACE_STATE_ACTIVE, error);
	mutex_unlock(&kt_control);
}

static struct kt_session *alloc_session(const struct kt_session_config *config)
{
	struct kt_session *session = kt_mem_alloc(sizeof(*session));

	if (!session)
		return NULL;
	session->config = *config;
	kref_init(&session->ref);
	INIT_LIST_HEAD(&session->batches);
	INIT_WORK(&session->work, attach_work);
	atomic_set(&session->reader, 0);
	session->state = KTRACE_STATE_NEW;
	session->is_plain = !(config->flags & KTRACE_F_STREAM) && !config->min_time;
	get_random_bytes(&session->cookie, sizeof(session->cookie));
	kt_clocks_read(&session->start);
	return session;
}

static bool is_name_taken(const char *name)
{
	struct kt_session *session;

	list_for_each_entry(session, &sessions, node)
		if (*name && !strcmp(session->config.name, name))
			return true;
	return false;
}

struct kt_session *kt_session_create(const struct kt_session_config *config)
{
	struct kt_session *session = alloc_session(config);
	int error = -ENOMEM;

	if (!session)
		return ERR_PTR(-ENOMEM);
	mutex_lock(&kt_control);
	session->id = ++last_id;
	mutex_unlock(&kt_control);
	session->funcs = kt_mem_alloc(funcs_len(session));
	if (!session->funcs || make_cpus(session) || make_sinks(session))
		goto put_parts;

	mutex_lock(&kt_control);
	error = -EEXIST;
	if (is_name_taken(config->name))
		goto unlock;
	__module_get(THIS_MODULE);
	atomic_inc(&nr_alive);
	list_add_tail_rcu(&session->node, &sessions);
	session->is_listed = true;
	kref_get(&session->ref);
	mutex_unlock(&kt_control);
	return session;
unlock:
	mutex_unlock(&kt_control);
put_parts:
	put_parts(session);
	kt_mem_free(session, sizeof(*session));
	return ERR_PTR(error);
}

int kt_session_commit(struct kt_session *session)
{
	lockdep_assert_held(&kt_control);
	if (session->state != KTRACE_STATE_NEW)
		return -EBUSY;
	set_state(session, KTRACE_STATE_ATTACHING, 0);
	queue_work(queue, &session->work);
	return 0;
}

/*
 * First the attach is told to give up, and waited for; then nobody plants any
 * more. Who finds the session active owns its detach.
 */
void kt_session_stop(struct kt_session *session)
{
	bool is_active;

	WRITE_ONCE(session->is_cancelled, true);
	flush_work(&session->work);
	mutex_lock(&kt_control);
	is_active = session->state == KTRACE_STATE_ACTIVE;
	if (is_active || session->state == KTRACE_STATE_NEW)
		session->state = KTRACE_STATE_STOPPED;
	mutex_unlock(&kt_control);
	if (!is_active)
		return;
	kt_sites_detach(session);
	kt_shadow_drop_session(session);
	mutex_lock(&kt_control);
	set_state(session, KTRACE_STATE_STOPPED, 0);
	mutex_unlock(&kt_control);
}

static bool unlist(struct kt_session *session)
{
	bool is_ours = false;

	mutex_lock(&kt_control);
	if (session->is_listed) {
		list_del_rcu(&session->node);
		session->is_listed = false;
		is_ours = true;
	}
	mutex_unlock(&kt_control);
	return is_ours;
}

void kt_session_delete(struct kt_session *session)
{
	kt_session_stop(session);
	if (!unlist(session))
		return;
	kt_genl_notify(session->id, KTRACE_EVENT_GONE, 0, 0);
	kt_session_put(session);
}

/* --- the owner's socket was closed: atomic, so the work is handed on ----- */

struct closed_owner {
	struct work_struct work;
	struct net *net;
	u32 portid;
};

static struct kt_session *find_owned(struct net *net, u32 portid)
{
	struct kt_session *session, *found = NULL;

	rcu_read_lock();
	list_for_each_entry_rcu(session, &sessions, node) {
		if (session->config.name[0] || session->config.portid != portid ||
		    session->config.net != net)
			continue;
		if (kref_get_unless_zero(&session->ref)) {
			found = session;
			break;
		}
	}
	rcu_read_unlock();
	return found;
}

static void close_work(struct work_struct *work)
{
	struct closed_owner *owner = container_of(work, struct closed_owner, work);
	struct kt_session *session;

	while ((session = find_owned(owner->net, owner->portid))) {
		kt_session_delete(session);
		kt_session_put(session);
	}
	kfree(owner);
	module_put(THIS_MODULE);
}

static void free_reader(struct net *net, u32 portid)
{
	struct kt_session *session;

	list_for_each_entry_rcu(session, &sessions, node)
		atomic_cmpxchg(&session->reader, portid, 0);
}

void kt_session_close_owner(struct net *net, u32 portid)
{
	struct closed_owner *owner;
	struct kt_session *session;

	rcu_read_lock();
	free_reader(net, portid);
	rcu_read_unlock();
	session = find_owned(net, portid);
	if (!session)
		return;
	kt_session_put(session);
	owner = kmalloc(sizeof(*owner), GFP_ATOMIC);
	if (!owner)
		return;
	INIT_WORK(&owner->work, close_work);
	owner->net = net;
	owner->portid = portid;
	__module_get(THIS_MODULE);
	queue_work(queue, &owner->work);
}

/* --- figures ------------------------------------------------------------ */

static void add_counters(struct ktrace_counters *sum, const struct ktrace_counters *c)
{
	const u64 *from = (const u64 *)c;
	u64 *to = (u64 *)sum;
	u32 i;

	for (i = 0; i < sizeof(*c) / sizeof(u64); i++)
		to[i] += READ_ONCE(from[i]);
}

void kt_session_counters(struct kt_session *session, int cpu, struct ktrace_counters *c)
{
	add_counters(c, &per_cpu_ptr(session->cpu, cpu)->counters);
	if (session->ring)
		kt_ring_counters(session->ring, cpu, c);
}

int kt_session_reset(struct kt_session *session)
{
	struct kt_session_cpu *cpu;
	u32 func;
	int i;

	for_each_possible_cpu(i) {
		cpu = per_cpu_ptr(session->cpu, i);
		for (func = 0; cpu->hist && func < session->config.nr_funcs; func++)
			if (cpu->hist[func])
				kt_hist_clear(cpu->hist[func]);
	}
	if (session->tree)
		kt_tree_clear(session->tree);
	return 0;
}

/* --- module ------------------------------------------------------------- */

int kt_session_init(void)
{
	queue = alloc_workqueue("ktrace", WQ_UNBOUND, 0);
	return queue ? 0 : -ENOMEM;
}

/* Nobody can call in any more, and each session held the module: none is left. */
void kt_session_exit(void)
{
	flush_workqueue(queue);
	wait_event(all_gone, !atomic_read(&nr_alive));
	destroy_workqueue(queue);
}
