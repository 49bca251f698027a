// SPDX-License-Identifier: GPL-2.0
/*
 * Sessions: a command makes a session, a work attaches it, and the session ends once.
 *
 * To end a session, its work removes the probes, waits until no hit runs, and closes the open
 * frames of the tasks. Then it removes the session from the list and drops the list's reference.
 * A dump that holds a reference can still read the session. The last put frees it.
 */
#include <linux/module.h>
#include <linux/random.h>
#include <linux/rculist.h>
#include <linux/string.h>

#include "compat/mm.h"
#include "compat/rcu.h"
#include "core/event.h"
#include "core/filter.h"
#include "core/provider.h"
#include "core/shadow.h"
#include "core/shadow_table.h"
#include "core/trigger.h"
#include "core/unwind.h"
#include "lib/mem.h"
#include "lib/pool.h"
#include "lib/ticks.h"
#include "session/life.h"
#include "session/lifetime.h"
#include "session/parts.h"
#include "session/sessions.h"
#include "session/staging.h"
#include "session/throttle.h"
#include "uprobe/hold.h"

int kt_max_sessions = 64;
module_param_named(max_sessions, kt_max_sessions, int, 0644);
MODULE_PARM_DESC(max_sessions, "sessions at a time at most (default 64)");

static LIST_HEAD(sessions);	/* changed under kt_control, read under RCU */
static u64 last_id;		/* under kt_control */
static atomic_t nr_alive = ATOMIC_INIT(0);
static DECLARE_WAIT_QUEUE_HEAD(all_gone);

static void session_free_work(struct work_struct *work)
{
	struct kt_life *life = container_of(work, struct kt_life, free_work);
	struct kt_session *session = &life->session;

	synchronize_rcu();
	kt_session_put_parts(session);
	kt_conditions_free(rcu_dereference_raw(session->hot.conditions));
	kt_session_put_config(&session->config);
	kt_mem_free(life, sizeof(*life));
	/* Later sessions use what the pools keep, or allocate again. */
	kt_pool_trim_all(KT_POOL_KEEP);
	mutex_lock(&kt_control);
	if (!atomic_dec_return(&nr_alive)) {
		kt_ticks_end();
		kt_pool_trim_all(0);
		wake_up_all(&all_gone);
	}
	mutex_unlock(&kt_control);
	module_put(THIS_MODULE);
}

/* --- finding ------------------------------------------------------------ */

static bool session_is_called(const struct kt_session *session, u64 id, const char *name)
{
	return name ? !strcmp(session->config.name, name) : session->id == id;
}

struct kt_session *kt_session_find(u64 id, const char *name)
{
	struct kt_session *found = NULL;
	struct kt_life *life;

	rcu_read_lock();
	list_for_each_entry_rcu(life, &sessions, node)
		if (session_is_called(&life->session, id, name) &&
		    kref_get_unless_zero(&life->ref)) {
			found = &life->session;
			break;
		}
	rcu_read_unlock();
	return found;
}

/* The list is not sorted: sessions made at the same time may be in any order. */
struct kt_session *kt_session_next(u64 after)
{
	struct kt_session *session;
	struct kt_life *life;
	u64 next = U64_MAX;

	rcu_read_lock();
	list_for_each_entry_rcu(life, &sessions, node)
		if (life->session.id > after)
			next = min(next, life->session.id);
	rcu_read_unlock();
	session = next == U64_MAX ? NULL : kt_session_find(next, NULL);
	/* If this session has gone meanwhile, return the next one. */
	return session || next == U64_MAX ? session : kt_session_next(next);
}

/* --- life --------------------------------------------------------------- */

/* After the probes are removed: closes open frames, and waits until no hit runs. */
static void session_quiet(struct kt_session *session)
{
	kt_shadow_drop_session(session);
	/* Exiting tasks may still be closing frames. */
	kt_wait_for_hits();
	kt_shadow_flush();
}

static int session_stage(struct kt_session *session)
{
	const struct kt_provider *provider = session->config.provider;
	struct kt_staged staged;
	int error = 0;

	kt_staging_take(session, &staged);
	if (provider->stage)
		error = provider->stage(session, &staged);
	kt_staging_drop(session, &staged);
	return error;
}

/*
 * Plants the probes of a session, or removes them. If a pause cannot end, no probe is left, and the
 * session remains paused.
 */
static int session_plant(struct kt_session *session, bool *is_paused)
{
	struct kt_life *life = session->life;
	int staging = session_stage(session), error = 0;

	if (!*is_paused)
		error = kt_provider_attach(session);
	if (error && life->has_attached && !life->is_attached)
		*is_paused = true;
	if (*is_paused)
		kt_provider_detach(session);
	life->is_attached = !*is_paused;
	life->has_attached |= !*is_paused && !error;
	return error ? error : staging;
}

/* Probes cost time from the first one on, so both run while a session is attached. */
static void session_begin_clocks(struct kt_session *session)
{
	kt_lifetime_begin(session);
	kt_throttle_begin(session);
}

static void session_end_clocks(struct kt_session *session)
{
	kt_lifetime_end(session);
	kt_throttle_end(session);
}

/* Attaches the session, or carries out a change. */
static void session_apply(struct kt_session *session)
{
	bool is_first, is_paused, is_committed;
	int error;

	/* The function that queued this work sets these members until it drops kt_control. */
	mutex_lock(&kt_control);
	is_first = session->life->state == KTRACE_STATE_ATTACHING;
	is_paused = session->life->is_paused;
	is_committed = session->life->is_committed;
	mutex_unlock(&kt_control);
	if (is_first)
		session_begin_clocks(session);
	error = session_plant(session, &is_paused);
	if (is_paused)
		session_quiet(session);
	if (is_first && error)
		session_end_clocks(session);
	mutex_lock(&kt_control);
	if (is_committed)
		atomic64_set(&session->life->editor, 0);
	session->life->is_committed = false;
	WRITE_ONCE(session->life->is_paused, is_paused);
	kt_session_set_state(session, error && is_first ? KTRACE_STATE_FAILED :
			  is_paused ? KTRACE_STATE_PAUSED : KTRACE_STATE_ACTIVE, error);
	mutex_unlock(&kt_control);
}

/* The throttle has chosen functions, and no command changes the session now. */
static void session_take_costly_out(struct kt_session *session)
{
	struct kt_staged staged = { .is_wider = false };

	INIT_LIST_HEAD(&staged.batches);
	session->config.provider->stage(session, &staged);
}

static void session_stop(struct kt_session *session)
{
	int error = session->life->error;

	if (session->gate != KT_GATE_CLOSED)
		memset(&session->end, 0, sizeof(session->end));
	session_end_clocks(session);
	kt_provider_detach(session);
	session_quiet(session);
	/* Send the notices of earlier execs before the notice that the session stopped. */
	flush_work(&session->exec_work);
	if (!session->end.monotonic)
		kt_session_end_window(session);
	mutex_lock(&kt_control);
	kt_session_set_state(session, KTRACE_STATE_STOPPED, error);
	mutex_unlock(&kt_control);
}

static void session_unlist(struct kt_session *session)
{
	const struct kt_event event = { .session = session->id, .what = KTRACE_EVENT_GONE };

	mutex_lock(&kt_control);
	list_del_rcu(&session->life->node);
	session->life->is_listed = false;
	mutex_unlock(&kt_control);
	kt_event_tell(&event);
	kt_session_put(session);
}

static bool session_is_turning(const struct kt_session *session)
{
	int state = session->life->state;

	return state == KTRACE_STATE_ATTACHING || state == KTRACE_STATE_CHANGING;
}

/*
 * Only this work attaches, changes, stops and removes a session, and it never runs twice at the
 * same time. So each step can rely on the state that earlier steps have set. The function that
 * raises "want" queues the work again.
 */
static void session_turn_work(struct work_struct *work)
{
	struct kt_session *session = &container_of(work, struct kt_life, work)->session;

	if (session_is_turning(session))
		session_apply(session);
	else if (kt_session_has_costly(session))
		session_take_costly_out(session);
	if (kt_session_is_cancelled(session) && session->life->state != KTRACE_STATE_STOPPED)
		session_stop(session);
	if (READ_ONCE(session->want) == KT_WANT_GONE && session->life->is_listed)
		session_unlist(session);
	kt_session_put(session);
}

static struct kt_session *alloc_session(const struct kt_session_config *config)
{
	struct kt_life *life = kt_mem_alloc(sizeof(*life));
	struct kt_session *session = &life->session;

	if (!life)
		return NULL;
	session->life = life;
	session->config = *config;
	session->hot.sinks = config->sinks;
	session->hot.flags = config->flags;
	session->hot.has_more = (config->sinks & ~KTRACE_SINK_HIST) ||
				(config->flags & ~KTRACE_F_GATE);
	session->gate = config->flags & KTRACE_F_GATE ? KT_GATE_NEW : KT_GATE_NONE;
	session->hot.min_time = config->min_time;
	session->hot.max_depth = config->max_depth;
	session->hot.base_depth = config->flags & KTRACE_F_BELOW ? KT_DEPTH_OUTSIDE : 0;
	if (config->file)
		session->inode = kt_file_inode(config->file);
	session->hot.is_on_kernel_stack = config->provider->is_on_kernel_stack;
	session->hot.least = config->sinks & KTRACE_SINK_STREAM ? 0 : config->min_time;
	kref_init(&life->ref);
	INIT_LIST_HEAD(&life->staged);
	INIT_LIST_HEAD(&session->peers);
	kt_procs_init(&session->procs, config->nr_pids, config->does_follow);
	atomic64_set(&life->editor, 0);
	INIT_WORK(&life->work, session_turn_work);
	INIT_WORK(&life->free_work, session_free_work);
	kt_lifetime_init(session);
	kt_session_init_news(session);
	atomic64_set(&life->reader, 0);
	life->state = KTRACE_STATE_NEW;
	kt_session_renew_plain(session);
	get_random_bytes(&session->cookie, sizeof(session->cookie));
	kt_clocks_read(&session->start);
	return session;
}

static bool session_is_name_taken(const char *name)
{
	struct kt_life *life;

	list_for_each_entry(life, &sessions, node)
		if (*name && !strcmp(life->session.config.name, name))
			return true;
	return false;
}

/* Does not count sessions that have ended, but whose memory is not freed yet. */
static int session_nr_listed(void)
{
	struct kt_life *life;
	int nr = 0;

	list_for_each_entry(life, &sessions, node)
		nr++;
	return nr;
}

static u32 session_frequency(const struct kt_session_config *config)
{
	return config->provider->has_frequency ? kt_session_most_samples(config) : 0;
}

/* Samples per second and CPU of all sessions that take some, or may take some again. */
static u32 session_all_frequencies(void)
{
	struct kt_life *life;
	u32 sum = 0;

	list_for_each_entry(life, &sessions, node)
		if (life->state != KTRACE_STATE_STOPPED && life->state != KTRACE_STATE_FAILED)
			sum += session_frequency(&life->session.config);
	return sum;
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
	if (kt_session_make_parts(session))
		goto put_parts;

	mutex_lock(&kt_control);
	error = -EEXIST;
	if (session_is_name_taken(config->name))
		goto unlock;
	error = -EMFILE;
	if (session_nr_listed() >= READ_ONCE(kt_max_sessions))
		goto unlock;
	error = -EUSERS;
	if (session_all_frequencies() + session_frequency(config) > KTRACE_MAX_SAMPLES)
		goto unlock;
	/* The module may be unloading: a command holds no reference to it. */
	error = -ENODEV;
	if (!try_module_get(THIS_MODULE))
		goto unlock;
	if (atomic_inc_return(&nr_alive) == 1)
		kt_ticks_begin();
	RCU_INIT_POINTER(session->hot.conditions, config->conditions);
	session->config.conditions = NULL;
	list_add_tail_rcu(&session->life->node, &sessions);
	session->life->is_listed = true;
	kref_get(&session->life->ref);
	mutex_unlock(&kt_control);
	kt_procs_end_dead(&session->procs);
	return session;
unlock:
	mutex_unlock(&kt_control);
put_parts:
	kt_session_put_parts(session);
	kt_mem_free(session->life, sizeof(*session->life));
	return ERR_PTR(error);
}

static int session_commit(struct kt_session *session)
{
	int error;

	if (session->want == KT_WANT_NOTHING) {
		kt_session_set_state(session, KTRACE_STATE_ATTACHING, 0);
		error = kt_session_raise(session, KT_WANT_ACTIVE);
	} else {
		error = kt_session_turn(session);
	}
	if (error)
		return error;
	/* Functions staged by a socket that was closed may be incomplete: drop them. */
	if (!atomic64_read(&session->life->editor))
		kt_staging_forget(session);
	session->life->is_committed = true;
	return 0;
}

/* Refuses to commit what another socket has staged: it may be incomplete. */
int kt_session_commit(struct kt_session *session, u64 socket,
		      const struct kt_session_change *change)
{
	u64 editor;
	int error = -EBUSY;

	mutex_lock(&kt_control);
	editor = atomic64_read(&session->life->editor);
	if ((!editor || editor == socket) && kt_session_may_edit(session))
		error = kt_session_apply_change(session, change);
	if (!error)
		error = session_commit(session);
	mutex_unlock(&kt_control);
	return error;
}

static int session_set_paused(struct kt_session *session, bool is_paused)
{
	int error = -EALREADY;

	mutex_lock(&kt_control);
	if (session->life->is_paused == is_paused)
		goto unlock;
	error = -EBUSY;
	if (!kt_session_may_turn(session))
		goto unlock;
	WRITE_ONCE(session->life->is_paused, is_paused);
	error = kt_session_turn(session);
unlock:
	mutex_unlock(&kt_control);
	return error;
}

int kt_session_pause(struct kt_session *session)
{
	return session_set_paused(session, true);
}

int kt_session_resume(struct kt_session *session)
{
	return session_set_paused(session, false);
}

int kt_session_arm(struct kt_session *session)
{
	return session->hot.trigger ? kt_trigger_arm(session) : -EINVAL;
}

int kt_session_delete(struct kt_session *session)
{
	int error;

	mutex_lock(&kt_control);
	error = kt_session_raise(session, KT_WANT_GONE);
	/*
	 * Put the files in the context of the task, where fput() releases them before the task
	 * returns to user space. In a work it would release them later, and an unmount after the
	 * command would fail.
	 */
	if (!error && session->life->state == KTRACE_STATE_STOPPED)
		kt_session_put_files(&session->config);
	mutex_unlock(&kt_control);
	return error;
}

/* --- sockets: closed in atomic context, so a work deletes their sessions ---- */

int kt_session_take_reader(struct kt_session *session, u64 socket)
{
	u64 reader = atomic64_cmpxchg(&session->life->reader, 0, socket);

	if (reader)
		return reader == socket ? 0 : -EBUSY;
	WRITE_ONCE(session->life->reader_pid, task_tgid_nr(current));
	return 0;
}

static struct kt_session *session_find_orphan(void)
{
	struct kt_session *found = NULL;
	struct kt_life *life;

	rcu_read_lock();
	list_for_each_entry_rcu(life, &sessions, node)
		if (READ_ONCE(life->is_orphan) &&
		    READ_ONCE(life->session.want) != KT_WANT_GONE &&
		    kref_get_unless_zero(&life->ref)) {
			found = &life->session;
			break;
		}
	rcu_read_unlock();
	return found;
}

static void session_orphans_work(struct work_struct *work)
{
	struct kt_session *session;

	while ((session = session_find_orphan())) {
		kt_session_delete(session);
		kt_session_put(session);
	}
}

static DECLARE_WORK(orphans, session_orphans_work);

void kt_session_close_socket(u64 socket)
{
	const struct kt_session *session;
	struct kt_life *life;
	bool has_orphan = false;

	rcu_read_lock();
	list_for_each_entry_rcu(life, &sessions, node) {
		session = &life->session;
		atomic64_cmpxchg(&life->reader, socket, 0);
		atomic64_cmpxchg(&life->editor, socket, 0);
		kt_hold_close_socket(session->hold, socket);
		kt_unwind_close_socket(session->unwind, socket);
		if (session->config.name[0] || session->config.socket != socket)
			continue;
		WRITE_ONCE(life->is_orphan, true);
		has_orphan = true;
	}
	rcu_read_unlock();
	if (has_orphan)
		queue_work(kt_queue, &orphans);
}

/* --- tasks ---------------------------------------------------------------- */

void kt_session_each(kt_session_fn fn, void *arg)
{
	struct kt_life *life;

	rcu_read_lock();
	list_for_each_entry_rcu(life, &sessions, node)
		if (!kt_session_is_cancelled(&life->session))
			fn(&life->session, arg);
	rcu_read_unlock();
}

/* --- module ------------------------------------------------------------- */

/* No command runs any more. Each session holds the module, so no session is left. */
void kt_session_exit(void)
{
	flush_workqueue(kt_queue);
	wait_event(all_gone, !atomic_read(&nr_alive));
}
