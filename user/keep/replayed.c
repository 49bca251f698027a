// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>
#include <string.h>

#include "keep/calls.h"
#include "keep/replayed.h"
#include "session/event.h"
#include "util/hash.h"

#define MOST_WAITING (1 << 20)	/* calls of all threads */

/* The calls of a thread that wait for its outermost call. */
struct waiting {
	uint32_t tid;
	struct call *calls;
	size_t nr, room;
	UT_hash_handle hh;	/* by tid */
};

/* A session with calls. */
struct replayed_session {
	struct replayed *replayed;
	struct kept_session *session;
	struct calls *calls;	/* NULL: its records are passed on as they are */
	struct waiting *waiting;	/* a hash */
};

struct replayed {
	const struct recording *recording;
	const struct filter *filter;
	struct replayed_session *sessions;
	size_t nr_waiting, nr_lost;
	replayed_fn *fn;
	void *arg;
};

/* --- order ---------------------------------------------------------------------- */

/* Callers before their callees: a callee begins later, and is deeper. */
static int by_begin(const void *a, const void *b)
{
	const struct call *x = a, *y = b;

	if (x->begin != y->begin)
		return x->begin < y->begin ? -1 : 1;
	return x->depth < y->depth ? -1 : x->depth > y->depth;
}

static void pass(const struct replayed_session *of, const struct call *call, uint32_t id,
		 uint64_t time, size_t depth)
{
	const struct ktr_record record = {
		.time = time, .written = time, .id = id, .tid = call->tid, .func = call->func,
		.depth = depth, .duration = id == EVENT_EXIT ? call->duration : 0,
		.flags = id == EVENT_EXIT ? call->flags : call->flags & KTRACE_REC_F_NO_RETURN,
	};

	of->replayed->fn(of->replayed->arg, of->session, &record);
}

/* An open call has no end, nor has one whose return cannot be seen. */
static bool has_end(const struct call *call)
{
	return call->flags & KTRACE_REC_F_NO_RETURN ? false : !(call->flags & KTRACE_REC_F_OPEN);
}

/* A call is open until one comes that is not deeper. Depths close up where callers are left out. */
static void pass_all(const struct replayed_session *of, struct waiting *waiting)
{
	const struct call **open = mem_alloc((waiting->nr + 1) * sizeof(*open)), *call;
	size_t depth = 0, i;

	if (waiting->nr)
		qsort(waiting->calls, waiting->nr, sizeof(*waiting->calls), by_begin);
	for (i = 0; i <= waiting->nr; i++) {
		call = i < waiting->nr ? &waiting->calls[i] : NULL;
		while (depth && (!call || open[depth - 1]->depth >= call->depth)) {
			depth--;
			if (has_end(open[depth]))
				pass(of, open[depth], EVENT_EXIT, open[depth]->end, depth);
		}
		if (!call)
			break;
		pass(of, call, EVENT_ENTRY, call->begin, depth);
		open[depth] = call;
		depth += !(call->flags & KTRACE_REC_F_NO_RETURN);
	}
	free(open);
	of->replayed->nr_waiting -= waiting->nr;
	waiting->nr = 0;
}

/* --- calls that wait ------------------------------------------------------------ */

static struct waiting *waiting_of(struct replayed_session *of, uint32_t tid)
{
	struct waiting *waiting;

	HASH_FIND(hh, of->waiting, &tid, sizeof(tid), waiting);
	if (waiting)
		return waiting;
	waiting = mem_alloc(sizeof(*waiting));
	waiting->tid = tid;
	HASH_ADD(hh, of->waiting, tid, sizeof(tid), waiting);
	return waiting;
}

static void drop(struct replayed_session *of, struct waiting *waiting)
{
	HASH_DEL(of->waiting, waiting);
	of->replayed->nr_waiting -= waiting->nr;
	free(waiting->calls);
	free(waiting);
}

static void take_call(void *arg, const struct call *call)
{
	struct replayed_session *of = arg;
	struct waiting *waiting;

	if (of->replayed->nr_waiting >= MOST_WAITING) {
		of->replayed->nr_lost++;
		return;
	}
	waiting = waiting_of(of, call->tid);
	if (waiting->nr == waiting->room) {
		waiting->room = waiting->room ? 2 * waiting->room : 64;
		waiting->calls = mem_resize(waiting->calls, waiting->room * sizeof(*waiting->calls));
	}
	waiting->calls[waiting->nr++] = *call;
	of->replayed->nr_waiting++;
	if (!call->depth)
		pass_all(of, waiting);
}

/* --- sessions ------------------------------------------------------------------- */

struct replayed *replayed_create(const struct recording *recording, const struct filter *filter,
				 replayed_fn *fn, void *arg)
{
	struct replayed *replayed = mem_alloc(sizeof(*replayed));
	struct replayed_session *of;
	size_t i;

	replayed->recording = recording;
	replayed->filter = filter;
	replayed->fn = fn;
	replayed->arg = arg;
	replayed->sessions = mem_alloc((recording->nr + 1) * sizeof(*replayed->sessions));
	for (i = 0; i < recording->nr; i++) {
		of = &replayed->sessions[i];
		of->replayed = replayed;
		of->session = &recording->sessions[i];
		if (!(of->session->is.flags & KTRACE_F_NO_ENTRIES) && filter_is_empty(filter))
			continue;
		of->calls = calls_create(recording, of->session, filter);
		calls_pass_to(of->calls, take_call, of);
	}
	return replayed;
}

void replayed_free(struct replayed *replayed)
{
	struct waiting *waiting, *next;
	size_t i;

	if (!replayed)
		return;
	for (i = 0; i < replayed->recording->nr; i++) {
		HASH_ITER(hh, replayed->sessions[i].waiting, waiting, next)
			drop(&replayed->sessions[i], waiting);
		calls_free(replayed->sessions[i].calls);
	}
	free(replayed->sessions);
	free(replayed);
}

/* Threads that end, fork and execute have records of their own. */
static void take_task(struct replayed_session *of, const struct packets *packets)
{
	struct waiting *waiting;
	struct ktr_record record;

	if (!merged_record(packets, &record) ||
	    !filter_thread(of->replayed->filter, of->replayed->recording, record.tid, NULL))
		return;
	if (record.id == EVENT_TASK_EXIT && of->calls) {
		waiting = waiting_of(of, record.tid);
		pass_all(of, waiting);
		drop(of, waiting);
	}
	if (filter_window(of->replayed->filter, record.time, record.time))
		of->replayed->fn(of->replayed->arg, of->session, &record);
}

void replayed_take(struct replayed *replayed, const struct packets *packets)
{
	struct replayed_session *of =
		&replayed->sessions[packets->session - replayed->recording->sessions];
	struct ktr_record record;

	if (of->calls)
		calls_take(of->calls, packets);
	if (packets->record && packets->record->id > EVENT_EXIT)
		take_task(of, packets);
	else if (!of->calls && merged_record(packets, &record))
		replayed->fn(replayed->arg, of->session, &record);
}

int replayed_finish(struct replayed *replayed, struct err *err)
{
	struct waiting *waiting, *next;
	size_t i;

	for (i = 0; i < replayed->recording->nr; i++)
		HASH_ITER(hh, replayed->sessions[i].waiting, waiting, next)
			pass_all(&replayed->sessions[i], waiting);
	if (!replayed->nr_lost)
		return 0;
	return err_set(err, "An outermost call has more than %d calls inside, and has no entry in the recording; choose a part with --from and --to, or functions with -f, or record again with --entries.",
		       MOST_WAITING);
}
