// SPDX-License-Identifier: GPL-2.0
/* Functions that are added and removed: one socket at a time stages them until a commit. */
#include <linux/kernel.h>
#include <linux/list.h>
#include <linux/module.h>
#include <linux/string.h>

#include "core/provider.h"
#include "session/life.h"
#include "session/sessions.h"
#include "session/staging.h"
#include "session/taken_out.h"
#include "uprobe/batch.h"

static unsigned int max_sites = 1U << 20;
module_param(max_sites, uint, 0644);
MODULE_PARM_DESC(max_sites, "places probed by one session at most (default 1048576)");

u32 kt_session_max_sites(void)
{
	return READ_ONCE(max_sites);
}

/* Drops batches that are not planted, and frees the numbers of their functions. */
static void staging_forget_batches(struct kt_session *session, struct list_head *batches)
{
	const struct ktrace_func *func;
	struct kt_batch *batch, *next;

	list_for_each_entry_safe(batch, next, batches, node) {
		for (func = kt_batch_next(batch, NULL); func; func = kt_batch_next(batch, func))
			memset(&session->hot.funcs[func->func], 0, sizeof(struct kt_func));
		list_del(&batch->node);
		kt_batch_put(batch);
	}
}

void kt_staging_forget(struct kt_session *session)
{
	u32 i;

	lockdep_assert_held(&kt_control);
	staging_forget_batches(session, &session->life->staged);
	for (i = 0; i < session->config.nr_funcs; i++) {
		session->hot.funcs[i].is_leaving = false;
		session->hot.funcs[i].is_returning = false;
	}
}

/* The first socket becomes the editor. Drops what an earlier editor left behind. */
static int staging_take_editor(struct kt_session *session, u64 socket)
{
	u64 editor = atomic64_cmpxchg(&session->life->editor, 0, socket);

	lockdep_assert_held(&kt_control);
	if (editor && editor != socket)
		return -EBUSY;
	if (!editor)
		kt_staging_forget(session);
	return 0;
}

static u32 staging_nr_staged_sites(const struct kt_session *session)
{
	struct kt_batch *batch;
	u32 nr = 0;

	list_for_each_entry(batch, &session->life->staged, node)
		nr += batch->nr_sites;
	return nr;
}

/*
 * The first KTRACE_FUNC_BELOW function must come before the first commit, unless the session has
 * KTRACE_F_BELOW. Later there may be open calls that were entered without this restriction.
 */
static bool staging_is_too_late(const struct kt_session *session, const struct ktrace_func *func)
{
	return (func->flags & KTRACE_FUNC_BELOW) && session->life->state != KTRACE_STATE_NEW &&
	       !session->hot.base_depth;
}

static int staging_take_number(struct kt_session *session, struct kt_batch *batch,
			       const struct ktrace_func *func)
{
	if (session->hot.funcs[func->func].batch)
		return -EEXIST;
	if (staging_is_too_late(session, func))
		return -EINVAL;
	session->hot.funcs[func->func].batch = batch;
	return 0;
}

static void staging_give_numbers_back(struct kt_session *session, const struct kt_batch *batch)
{
	const struct ktrace_func *func = NULL;

	while ((func = kt_batch_next(batch, func)))
		if (session->hot.funcs[func->func].batch == batch)
			session->hot.funcs[func->func].batch = NULL;
}

static int staging_stage(struct kt_session *session, struct kt_batch *batch)
{
	const struct ktrace_func *func = NULL;
	int error = 0;

	if ((u64)session->nr_sites + staging_nr_staged_sites(session) + batch->nr_sites >
	    kt_session_max_sites())
		return -E2BIG;
	while (!error && (func = kt_batch_next(batch, func)))
		error = staging_take_number(session, batch, func);
	if (error) {
		staging_give_numbers_back(session, batch);
		return error;
	}
	list_add_tail(&batch->node, &session->life->staged);
	return 0;
}

static int staging_stage_list(struct kt_session *session, const struct kt_edit *edit)
{
	u32 i, func;

	for (i = 0; i < edit->nr_listed; i++) {
		func = edit->list[i];
		if (func >= session->config.nr_funcs || !session->hot.funcs[func].batch ||
		    session->hot.funcs[func].is_gone != edit->is_back)
			return -ENOENT;
	}
	for (i = 0; i < edit->nr_listed; i++) {
		session->hot.funcs[edit->list[i]].is_leaving = !edit->is_back;
		session->hot.funcs[edit->list[i]].is_returning = edit->is_back;
	}
	return 0;
}

int kt_session_edit(struct kt_session *session, const struct kt_edit *edit)
{
	int error = -EBUSY;
	bool is_new;

	mutex_lock(&kt_control);
	is_new = !atomic64_read(&session->life->editor);
	if (kt_session_may_edit(session))
		error = staging_take_editor(session, edit->socket);
	if (!error && edit->batch)
		error = staging_stage(session, edit->batch);
	if (!error && !edit->batch && !edit->nr_listed)
		kt_staging_forget(session);
	if (!error && !edit->batch)
		error = staging_stage_list(session, edit);
	/* A socket that has nothing staged would keep all others from editing. */
	if (error && is_new)
		atomic64_cmpxchg(&session->life->editor, edit->socket, 0);
	mutex_unlock(&kt_control);
	return error;
}

void kt_session_take_out(struct kt_session *session, const u32 *list, u32 nr)
{
	u32 i;

	mutex_lock(&kt_control);
	for (i = 0; i < nr; i++)
		WRITE_ONCE(session->hot.funcs[list[i]].is_gone, true);
	WRITE_ONCE(session->costly_asked, session->costly_asked + 1);
	kt_session_queue(session);
	mutex_unlock(&kt_control);
}

/* Drops what was never committed. */
void kt_staging_exit(struct kt_session *session)
{
	staging_forget_batches(session, &session->life->staged);
}

int kt_session_add(struct kt_session *session, const void *symbols, size_t len)
{
	const struct kt_provider *provider = session->config.provider;
	int error = -EBUSY;

	if (!provider->add)
		return -EINVAL;
	mutex_lock(&kt_control);
	if (session->life->state == KTRACE_STATE_NEW && session->want == KT_WANT_NOTHING)
		error = provider->add(session, symbols, len);
	mutex_unlock(&kt_control);
	return error;
}

/* --- a commit -------------------------------------------------------------- */

/* Applies what was staged for a function. Returns true if the function is removed. */
static bool staging_turn_func(struct kt_session *session, u32 nr)
{
	struct kt_func *func = &session->hot.funcs[nr];
	bool is_leaving = func->is_leaving;

	if (func->is_returning)
		kt_taken_out_forget(session, nr);
	if (is_leaving || func->is_returning)
		WRITE_ONCE(func->is_gone, is_leaving);
	func->is_leaving = false;
	func->is_returning = false;
	return is_leaving;
}

void kt_staging_take(struct kt_session *session, struct kt_staged *staged)
{
	u32 i;

	INIT_LIST_HEAD(&staged->batches);
	staged->has_leaving = false;
	mutex_lock(&kt_control);
	staged->is_wider = session->life->has_wider_filter;
	session->life->has_wider_filter = false;
	if (session->life->is_committed) {
		list_splice_init(&session->life->staged, &staged->batches);
		for (i = 0; i < session->config.nr_funcs; i++)
			staged->has_leaving |= staging_turn_func(session, i);
	}
	mutex_unlock(&kt_control);
}

void kt_staging_drop(struct kt_session *session, struct kt_staged *staged)
{
	if (list_empty(&staged->batches))
		return;
	mutex_lock(&kt_control);
	staging_forget_batches(session, &staged->batches);
	mutex_unlock(&kt_control);
}
