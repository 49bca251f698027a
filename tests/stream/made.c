// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "made.h"
#include "session/costs.h"
#include "util/clock.h"

#define MAX_MADE 64
#define EVENT_NS (100 * CLOCK_SECOND / 1000)	/* after it was armed, an event fires a trigger */

static struct made {
	uint32_t provider, sinks, nr_funcs;
	bool is_stopped, is_deleted, has_tables;
	uint32_t flags;
	bool has_trigger;
	struct ktrace_trigger trigger;
	uint64_t armed;		/* ns, CLOCK_MONOTONIC */
	int32_t pid;		/* the first; 0: all processes */
	uint32_t frequency;
} made[MAX_MADE];
static unsigned int nr_made;

static struct made *find(uint64_t id)
{
	return id - FIRST_ID < nr_made ? &made[id - FIRST_ID] : NULL;
}

bool made_is_stopped(uint64_t id)
{
	return find(id) && find(id)->is_stopped;
}

bool made_is_deleted(uint64_t id)
{
	const char *gone = getenv("KTRACE_PLAYED_GONE");

	return find(id) && (find(id)->is_deleted || (gone && !access(gone, F_OK)));
}

uint32_t made_provider(uint64_t id)
{
	return find(id) ? find(id)->provider : KTRACE_PROVIDER_USER;
}

static void fill_trigger(struct ktr_session *session, const struct made *from)
{
	uint64_t time = from->armed + EVENT_NS;

	session->has_trigger = from->has_trigger;
	session->trigger = from->trigger;
	if (!from->has_trigger || clock_now_ns() < time)
		return;
	session->triggered = (struct ktrace_triggered){
		.time = time, .frozen_from = time + from->trigger.after_ns,
		.duration = from->trigger.min_ns + 1, .func = from->trigger.func, .tid = 4711,
	};
}

void made_fill(struct ktr_session *session)
{
	const struct made *from = find(session->id);

	if (!from)
		return;
	session->name[0] = 0;
	session->provider = from->provider;
	session->sinks = from->sinks;
	session->nr_funcs = session->nr_used = from->nr_funcs;
	session->start = session->now;
	session->flags = from->flags;
	session->frequency = from->frequency;
	if (from->pid && kill(from->pid, 0))
		session->ended_at = session->now.monotonic;
	fill_trigger(session, from);
	session->state = from->is_stopped ? KTRACE_STATE_STOPPED : KTRACE_STATE_ACTIVE;
}

/*
 * Appends "+PROVIDER" for a session that is made, "-PROVIDER" for one that is deleted, and
 * "tPROVIDER" for its first table.
 */
static void note(char sign, const struct made *which)
{
	const char *path = getenv("KTRACE_PLAYED_MADE");
	FILE *file = path ? fopen(path, "a") : NULL;

	if (!file)
		return;
	fprintf(file, "%c%u\n", sign, which->provider);
	fclose(file);
}

int ktr_session_new_sized(struct ktr *ktr, const struct ktr_new *new_, size_t len, uint64_t *id,
			  uint64_t *cookie)
{
	const char *refused = getenv("KTRACE_PLAYED_REFUSED");

	(void)ktr, (void)len;
	if (refused && new_->provider == strtoul(refused, NULL, 10))
		return -ENOMEM;
	*id = FIRST_ID + nr_made;
	*cookie = 0;
	made[nr_made] = (struct made){
		.provider = new_->provider, .sinks = new_->sinks, .nr_funcs = new_->nr_funcs,
		.frequency = new_->frequency ? new_->frequency : 99,
		.pid = new_->nr_pids ? new_->pids[0] : 0,
		.flags = new_->flags, .has_trigger = new_->trigger, .armed = clock_now_ns(),
	};
	if (new_->trigger)
		made[nr_made].trigger = *new_->trigger;
	note('+', &made[nr_made]);
	nr_made++;
	return 0;
}

int ktr_unwind_add(struct ktr *ktr, uint64_t id, int fd, const void *table, size_t len)
{
	struct made *to = find(id);

	(void)ktr, (void)fd, (void)len;
	if (!to || !(to->flags & KTRACE_F_UNWIND))
		return -EINVAL;
	if (table && !to->has_tables)
		note('t', to);
	to->has_tables |= table != NULL;
	return 0;
}

int ktr_session_arm(struct ktr *ktr, uint64_t id)
{
	(void)ktr;
	find(id)->armed = clock_now_ns();
	return 0;
}

int ktr_session_commit(struct ktr *ktr, uint64_t id)
{
	(void)ktr, (void)id;
	return 0;
}

int ktr_session_stop(struct ktr *ktr, uint64_t id)
{
	(void)ktr;
	if (getenv("KTRACE_PLAYED_NO_STOP"))
		return -EIO;
	find(id)->is_stopped = true;
	return 0;
}

int ktr_session_delete(struct ktr *ktr, uint64_t id)
{
	(void)ktr;
	if (made_is_deleted(id))
		return -ENOENT;
	note('-', find(id));
	find(id)->is_deleted = true;
	return 0;
}

int ktr_func_add(struct ktr *ktr, uint64_t id, const struct ktr_funcs *funcs)
{
	(void)ktr, (void)id, (void)funcs;
	return 0;
}

bool costs_measure(struct ktr *ktr)
{
	(void)ktr;
	return true;
}
