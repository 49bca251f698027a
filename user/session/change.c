// SPDX-License-Identifier: GPL-2.0
/*
 * Adds functions to a running session and removes functions from it. The module keeps the
 * functions by number, the sidecar keeps their names. The sidecar is written between staging and
 * commit. After a crash between these two steps, the sidecar has surplus names, with numbers that
 * the module does not use.
 */
#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "session/change.h"
#include "session/edit.h"
#include "session/session.h"
#include "session/sidecar.h"
#include "util/fmt.h"
#include "util/mem.h"

struct work {
	struct ktr *ktr;
	struct ktr_session *session;
	struct change *change;
	struct sidecar *sidecar;
	bool *is_probed;	/* [nr_used] */
	uint32_t *gone, *back;
	size_t nr_gone, nr_back;
};

static void take_probed(void *arg, const struct ktr_func *func)
{
	struct work *work = arg;

	if (func->func < work->session->nr_used)
		work->is_probed[func->func] = true;
}

static void add(uint32_t **list, size_t *nr, uint32_t func)
{
	*list = mem_grow(*list, *nr, sizeof(**list));
	(*list)[(*nr)++] = func;
}

/* --- functions to remove ------------------------------------------------ */

static int no_match(const struct work *work, const char *glob, struct err *err)
{
	const char **names = mem_alloc(work->session->nr_used * sizeof(*names) + 1), *nearest;
	size_t nr = 0;
	uint32_t i;

	for (i = 0; i < work->session->nr_used; i++) {
		names[nr] = work->is_probed[i] ? sidecar_name(work->sidecar, i) : NULL;
		nr += names[nr] != NULL;
	}
	if (match_nearest(glob, names, nr, &nearest, 1))
		err_set(err, "No probed function of the session %s matches '%s'; did you mean %s?",
			work->change->name, glob, nearest);
	else
		err_set(err, "No probed function of the session %s matches '%s'; see: ktrace ctl read %s.",
			work->change->name, glob, work->change->name);
	free(names);
	return -1;
}

/* Patterns need not name the file that tells a function from others of its name. */
static bool is_removed(const struct match *removed, const char *name)
{
	int len = fmt_name_len(name);
	bool is_removed = match_name(removed, name);
	char *plain;

	if (!name[len])
		return is_removed;
	plain = mem_format("%.*s", len, name);
	is_removed |= match_name(removed, plain);
	free(plain);
	return is_removed;
}

static int choose_gone(struct work *work, struct err *err)
{
	const struct match *removed = &work->change->removed;
	const char *name;
	uint32_t i;

	for (i = 0; i < work->session->nr_used && removed->nr; i++) {
		name = work->is_probed[i] ? sidecar_name(work->sidecar, i) : NULL;
		if (name && is_removed(removed, name))
			add(&work->gone, &work->nr_gone, i);
	}
	return removed->nr && !work->nr_gone ? no_match(work, removed->globs[0], err) : 0;
}

/* --- functions to add --------------------------------------------------- */

/* Moves the functions that are left out to the end of the plan. */
static void partition(struct plan *plan)
{
	struct plan_func *funcs = mem_alloc((plan->nr_funcs + 1) * sizeof(*funcs));
	size_t i, nr = 0;

	plan->nr_sites = 0;
	for (i = 0; i < plan->nr_probed; i++) {
		if (plan->funcs[i].left_out)
			continue;
		plan->funcs[i].desc.func = nr;
		plan->nr_sites += plan->funcs[i].desc.nr_exits;
		plan->nr_sites += plan->funcs[i].desc.ret != KTRACE_RETURN_SILENT;
		funcs[nr++] = plan->funcs[i];
	}
	plan->nr_probed = nr;
	for (i = 0; i < plan->nr_funcs; i++)
		if (plan->funcs[i].left_out)
			funcs[nr++] = plan->funcs[i];
	free(plan->funcs);
	plan->funcs = funcs;
}

static void choose_new(struct work *work)
{
	struct plan *plan = work->change->plan;
	struct plan_func *func;
	int64_t number;

	for (func = plan->funcs; func < plan->funcs + plan->nr_probed; func++) {
		number = sidecar_find(work->sidecar, work->session->nr_used,
				      &plan->objects[func->object], func->desc.start);
		if (number < 0)
			continue;
		func->left_out = "the session has it already";
		if (work->is_probed[number])
			work->change->nr_there++;
		else
			add(&work->back, &work->nr_back, number);
	}
	partition(plan);
}

/* --- the whole change --------------------------------------------------- */

static int look(struct work *work, struct err *err)
{
	int error;

	work->sidecar = sidecar_open(work->change->name, work->session->cookie);
	if (!work->sidecar)
		return err_set(err, "The functions of session %s cannot be changed: /run/ktrace/%s, which has their names, is missing or belongs to another session; attach a new session.",
			       work->change->name, work->change->name);
	work->is_probed = mem_alloc(work->session->nr_used + 1);
	error = ktr_func_each(work->ktr, work->session->id, KTRACE_READ_PROBED, take_probed, work);
	if (error)
		return edit_explain(work->ktr, work->change->name, error, err);
	if (choose_gone(work, err))
		return -1;
	if (work->change->plan)
		choose_new(work);
	return 0;
}

static int stage(struct work *work)
{
	struct plan *plan = work->change->plan;
	uint64_t id = work->session->id;
	int error = edit_list(work->ktr, id, work->gone, work->nr_gone, 0);

	if (!error)
		error = edit_list(work->ktr, id, work->back, work->nr_back, KTRACE_DEL_UNDO);
	if (!error && plan && plan->nr_probed > work->session->nr_funcs - work->session->nr_used)
		error = -ENOSPC;
	if (!error && plan && plan->nr_probed)
		error = edit_add(work->ktr, id, plan, work->session->nr_used);
	return error;
}

static int do_work(struct work *work, struct err *err)
{
	struct change *change = work->change;
	int error;

	if (look(work, err) ||
	    (change->plan && plan_check_copied(change->plan, change->nr_processes, err)))
		return -1;
	change->nr_added = change->plan ? change->plan->nr_probed : 0;
	change->nr_back = work->nr_back;
	change->nr_removed = work->nr_gone;
	error = stage(work);
	if (!error && change->nr_added &&
	    sidecar_append(work->sidecar, change->plan, work->session->nr_used, err))
		return -1;
	if (!error)
		error = edit_commit(work->ktr, work->session, change->rest);
	return error ? edit_explain(work->ktr, change->name, error, err) : 0;
}

int change_functions(struct ktr *ktr, struct ktr_session *session, struct change *change,
		     struct err *err)
{
	struct work work = { .ktr = ktr, .session = session, .change = change };
	int error = edit_begin(ktr, session), result;

	if (error)
		return edit_explain(ktr, change->name, error, err);
	result = do_work(&work, err);
	sidecar_close(work.sidecar);
	free(work.is_probed);
	free(work.gone);
	free(work.back);
	return result;
}
