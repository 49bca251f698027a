// SPDX-License-Identifier: GPL-2.0
/* Changes of sessions. One command at a time may change a session; other commands wait. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "session/edit.h"
#include "session/sidecar.h"
#include "session/wait.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/signals.h"

#define PATIENCE 5	/* seconds to wait for another command */
#define BATCH_LEN 40000	/* bytes of functions in one message */
#define LIST_LEN 4096	/* numbers per message */

/* --- taking turns ------------------------------------------------------- */

/* Returns true for a session that can be read, but not changed any more. */
static bool is_over(struct ktr *ktr, uint64_t id)
{
	struct ktr_session session;

	return !ktr_session_get(ktr, id, &session) &&
	       (session.state == KTRACE_STATE_STOPPED || session.state == KTRACE_STATE_FAILED);
}

int edit_insist(struct ktr *ktr, uint64_t id, edit_fn fn, const void *arg)
{
	uint64_t end = clock_now_ns() + PATIENCE * CLOCK_SECOND;
	int error;

	ktr_notice_fd(ktr);
	for (;;) {
		error = fn(ktr, id, arg);
		if (error != -EBUSY || clock_now_ns() > end)
			return error;
		if (is_over(ktr, id))
			return -ENOENT;
		if (signals_nr_ends)
			return -EINTR;
		session_wait(ktr);
	}
}

int edit_settle(struct ktr *ktr, uint64_t id, struct ktr_session *session)
{
	int error;

	for (;;) {
		error = ktr_session_get(ktr, id, session);
		if (!error && session->error == -EINTR)
			return -ENOENT;	/* another command ended the session during the change */
		if (error || session->state != KTRACE_STATE_CHANGING)
			return error ? error : session->error;
		session_wait(ktr);
	}
}

/* --- staging ------------------------------------------------------------ */

struct batch {
	char *data;
	size_t len;
	size_t nr_sites;
	unsigned int object;
	uint32_t first;		/* the number of the plan's first function */
	int caller_fd;
};

static int do_add(struct ktr *ktr, uint64_t id, const void *arg)
{
	return ktr_func_add(ktr, id, arg);
}

static int send_batch(struct ktr *ktr, uint64_t id, const struct plan *plan,
		      struct batch *batch)
{
	const struct elf_file *file = &plan->objects[batch->object];
	struct ktr_funcs funcs = { file->fd, batch->caller_fd, file->build_id,
				   file->build_id_len, batch->data, batch->len };
	int error = 0;

	if (batch->len)
		error = edit_insist(ktr, id, do_add, &funcs);
	batch->len = 0;
	batch->nr_sites = 0;
	return error;
}

static size_t packed_len(const struct plan_func *func)
{
	return sizeof(func->desc) + func->desc.nr_exits * sizeof(*func->exits);
}

static void pack(struct batch *batch, const struct plan_func *func)
{
	size_t exits_len = func->desc.nr_exits * sizeof(*func->exits);
	struct ktrace_func desc = func->desc;

	desc.func += batch->first;
	memcpy(batch->data + batch->len, &desc, sizeof(desc));
	if (exits_len)
		memcpy(batch->data + batch->len + sizeof(func->desc), func->exits, exits_len);
	batch->len += packed_len(func);
	batch->nr_sites += 1 + func->desc.nr_exits;
	batch->object = func->object;
}

/* Calls of imports count if they come from the plan's file, which is objects[0]. */
int edit_add(struct ktr *ktr, uint64_t id, const struct plan *plan, uint32_t first)
{
	struct batch batch = { mem_alloc(BATCH_LEN), 0, 0, 0, first, plan->objects[0].fd };
	const struct plan_func *func;
	int error = 0;

	for (func = plan->funcs; func < plan->funcs + plan->nr_probed && !error; func++) {
		if (batch.len + packed_len(func) > BATCH_LEN || func->object != batch.object ||
		    batch.nr_sites + 1 + func->desc.nr_exits > KTRACE_MAX_SITES)
			error = send_batch(ktr, id, plan, &batch);
		pack(&batch, func);
	}
	if (!error)
		error = send_batch(ktr, id, plan, &batch);
	free(batch.data);
	return error;
}

/* --- from the first message to the commit ------------------------------- */

static int do_begin(struct ktr *ktr, uint64_t id, const void *arg)
{
	(void)arg;
	return ktr_func_del(ktr, id, NULL, 0, 0);
}

int edit_begin(struct ktr *ktr, struct ktr_session *session)
{
	int error = edit_insist(ktr, session->id, do_begin, NULL);

	return error ? error : ktr_session_get(ktr, session->id, session);
}

struct list {
	const uint32_t *funcs;
	size_t nr;
	uint32_t flags;
};

static int do_list(struct ktr *ktr, uint64_t id, const void *arg)
{
	const struct list *list = arg;

	return ktr_func_del(ktr, id, list->funcs, list->nr, list->flags);
}

int edit_list(struct ktr *ktr, uint64_t id, const uint32_t *funcs, size_t nr, uint32_t flags)
{
	struct list list = { funcs, 0, flags };
	int error = 0;

	for (; nr && !error; nr -= list.nr) {
		list.nr = nr < LIST_LEN ? nr : LIST_LEN;
		error = edit_insist(ktr, id, do_list, &list);
		list.funcs += list.nr;
	}
	return error;
}

static int do_commit(struct ktr *ktr, uint64_t id, const void *arg)
{
	return ktr_session_commit_change(ktr, id, arg);
}

int edit_commit(struct ktr *ktr, struct ktr_session *session, const struct ktr_change *change)
{
	static const struct ktr_change nothing;
	int error = edit_insist(ktr, session->id, do_commit, change ? change : &nothing);

	return error ? error : edit_settle(ktr, session->id, session);
}

static int do_change(struct ktr *ktr, uint64_t id, const void *arg)
{
	return ktr_session_change(ktr, id, arg);
}

int edit_rest(struct ktr *ktr, uint64_t id, const struct ktr_change *change)
{
	return edit_insist(ktr, id, do_change, change);
}

/* Drops the staged functions. The empty commit lets other commands begin a change. */
static void drop(struct ktr *ktr, struct ktr_session *session)
{
	if (!edit_begin(ktr, session))
		edit_commit(ktr, session, NULL);
}

/* Adds the names to the sidecar for later commands. A session without a name has no sidecar. */
static int keep_names(const struct plan *plan, const struct ktr_session *session,
		      uint32_t first)
{
	struct sidecar *sidecar;
	struct err ignored;
	int error;

	if (!session->name[0])
		return 0;
	sidecar = sidecar_open(session->name, session->cookie);
	error = sidecar && !sidecar_append(sidecar, plan, first, &ignored) ? 0 : -ENODATA;
	sidecar_close(sidecar);
	return error;
}

int edit_grow(struct ktr *ktr, const struct plan *plan, struct ktr_session *session,
	      uint32_t *first)
{
	int error = edit_begin(ktr, session);

	if (error)
		return error;
	*first = session->nr_used;
	error = -ENOSPC;
	if (plan->nr_probed <= session->nr_funcs - session->nr_used)
		error = edit_add(ktr, session->id, plan, *first);
	if (!error)
		error = keep_names(plan, session, *first);
	if (!error)
		error = edit_commit(ktr, session, NULL);
	if (error)
		drop(ktr, session);
	return error;
}

int edit_explain(struct ktr *ktr, const char *name, int error, struct err *err)
{
	switch (-error) {
	case EBUSY:
		return err_set(err, "Another command is changing session %s, and has not ended within %d s; nothing was changed. See ktrace ctl show %s, and try again.",
			       name, PATIENCE, name);
	case ENOENT:
		return err_set(err, "The session %s was detached meanwhile; nothing was changed.",
			       name);
	case EINTR:
		return err_set(err, "Interrupted; nothing was changed.");
	case ESRCH:
		return err_set(err, "A named process or thread is gone; nothing was changed. List running ones with: pgrep -a NAME.");
	case EOPNOTSUPP:
		return err_set(err, "This kernel has no cgroups of version 2 to filter by; nothing was changed.");
	case ENOSPC:
		return err_set(err, "The session %s has no room for so many more functions; select fewer with -f, or attach another session for them.",
			       name);
	case ENOMEM:
		return err_set(err, "That would exceed the module's memory limit; detach sessions, or raise /sys/module/ktrace/parameters/max_mem.");
	default:
		return session_explain_probes(ktr, error, err);
	}
}
