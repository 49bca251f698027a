// SPDX-License-Identifier: GPL-2.0
/* Makes a session of the module from a plan, and ends it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "session/costs.h"
#include "session/edit.h"
#include "session/session.h"
#include "session/wait.h"
#include "system/cpus.h"
#include "util/clock.h"
#include "util/mem.h"

/* --- attaching ---------------------------------------------------------- */

static int explain_new(struct ktr *ktr, int error, const struct session_options *options,
		       struct err *err)
{
	const char *said;

	switch (-error) {
	case EEXIST:
		return err_set(err, "A session named '%s' exists; choose another name, or end it: ktrace ctl detach %s.",
			       options->name, options->name);
	case ENOMEM:
		return session_explain_memory(ktr, options->buffer ?
					      "The session, with a --buffer for each CPU," :
					      "The session", err);
	case ESRCH:
		return err_set(err, "The process is gone; list running ones with: pgrep -a NAME.");
	case EMFILE:
		return err_set(err, "There are as many sessions as the module allows; detach some (ktrace ctl list), or raise /sys/module/ktrace/parameters/max_sessions.");
	case EUSERS:
		return err_set(err, "All profiles together take %d samples per second and CPU at most; end one (ktrace ctl list), or give a lower -F.",
			       KTRACE_MAX_SAMPLES);
	case EOPNOTSUPP:
		return err_set(err, "This kernel has no cgroups of version 2; omit --cgroup, or --by cgroup.");
	case ENODEV:
		return err_set(err, "A file or folder of --file or --dir is on a file system without a disk of its own (tmpfs, proc, NFS, btrfs, a folder of an overlay), so its requests cannot be recognised.");
	case EINVAL:
		said = ktr_said(ktr, error);
		if (options->table)
			return err_set(err, "The module refuses a table with these keys%s%s; it may be older than this command: end its sessions, then rmmod ktrace && modprobe ktrace.",
				       said ? ": " : "", said ? said : "");
		if (said)
			return err_set(err, "The module refuses the session: %s.", said);
		return err_set(err, "The module refuses these options; a session's name may hold letters, digits and ._- (63 at most).");
	default:
		return err_set(err, "The module refuses the session: %s.", ktr_reason(ktr, error));
	}
}

static bool has_run_out(const struct session_options *options, uint64_t since)
{
	return options->lifetime && clock_now_ns() - since >= options->lifetime;
}

/* Other commands may end or change a named session as soon as it exists. */
static int explain_other(bool is_over, struct err *err)
{
	if (is_over)
		return err_set(err, "The time of the session (--for) was over before all probes were placed; nothing stays attached. Give it more time, or choose fewer functions with -f.");
	return err_set(err, "Another command ended or changed the session while its probes were placed; nothing stays attached.");
}

static int explain_interrupt(struct err *err)
{
	return err_set(err, "Interrupted while attaching; nothing stays attached.");
}

static int explain_adding(struct ktr *ktr, int error, bool is_over, struct err *err)
{
	switch (error) {
	case -ENOENT:
	case -EBUSY:
		return explain_other(is_over, err);
	case -EINTR:
		return is_over ? explain_other(is_over, err) : explain_interrupt(err);
	default:
		return session_explain_probes(ktr, error, err);
	}
}

/* since: a time before the session was committed (clock_now_ns()). */
static int wait_attached(struct ktr *ktr, uint64_t id, const struct session_options *options,
			 uint64_t since, const volatile int *is_cancelled,
			 struct ktr_session *session, struct err *err)
{
	int error;

	for (;;) {
		error = ktr_session_get(ktr, id, session);
		if (error && error != -ENOENT)
			return err_set(err, "The session's state cannot be read: %s.",
				       ktr_reason(ktr, error));
		if (error || session->state == KTRACE_STATE_STOPPED || session->error == -EINTR)
			return explain_other(has_run_out(options, since), err);
		if (session->error == -ENOENT)
			return err_set(err, "The probes could not be placed: this kernel lacks an event or a function that they need; its module may not be loaded.");
		if (session->state == KTRACE_STATE_FAILED && session->error == -ENOMEM)
			return session_explain_memory(ktr, "The kernel's memory for the probes", err);
		if (session->error == -EOPNOTSUPP && options->event)
			return err_set(err, "This machine does not count the event of -e, as most virtual machines; omit -e to sample time.");
		if (session->state == KTRACE_STATE_FAILED)
			return err_set(err, "The probes could not be placed: %s.",
				       strerror(-session->error));
		/* Another command may have paused or changed the session meanwhile. */
		if (session->state != KTRACE_STATE_ATTACHING)
			return 0;
		if (*is_cancelled)
			return explain_interrupt(err);
		if (options->progress)
			options->progress(options, session);
		session_wait(ktr);
	}
}

/* Bytes of a sub-buffer, including the module's data about it. */
#define SUBBUF_ROOM 16384
#define USUAL_BUFFER (256 * SUBBUF_ROOM)
#define LEAST_BUFFER (2 * SUBBUF_ROOM)

/* The default of --buffer, bytes per CPU: those of all CPUs take a quarter of max_mem at most. */
static uint64_t usual_buffer(struct ktr *ktr)
{
	uint64_t buffer = USUAL_BUFFER, nr_cpus = cpus_possible();
	struct ktr_info info;

	if (ktr_info(ktr, &info))
		return buffer;
	while (buffer > LEAST_BUFFER && nr_cpus * buffer > info.limits.max_mem / 4)
		buffer /= 2;
	return buffer;
}

/* Returns the number of sub-buffers, a power of two, for a buffer of this many bytes. */
static uint32_t subbufs_of(uint64_t buffer)
{
	uint32_t nr = 2;

	while ((uint64_t)nr * SUBBUF_ROOM < buffer)
		nr *= 2;
	return nr;
}

int session_attach(struct ktr *ktr, const struct plan *plan,
		   const struct session_options *options,
		   const volatile int *is_cancelled, struct ktr_session *session,
		   struct err *err)
{
	struct ktr_new new = {
		.name = options->name,
		.provider = options->provider,
		.sinks = options->sinks,
		.flags = options->flags | (options->unwinder ? KTRACE_F_UNWIND : 0),
		.nr_funcs = plan ? plan->nr_probed + options->room :
			    options->kplan ? options->kplan->nr : 0,
		.fd = plan ? plan->objects[0].fd : -1,
		.pids = options->pids,
		.nr_pids = options->nr_pids,
		.does_follow = options->does_follow,
		.is_on_exec = options->is_on_exec,
		.conditions = options->conditions,
		.min_time = options->min_time,
		.lifetime = options->lifetime,
		.budget = options->budget,
		.max_depth = options->max_depth,
		.devs = options->devs,
		.nr_devs = options->nr_devs,
		.files = options->files,
		.nr_files = options->nr_files,
		.table = options->table,
		.trigger = options->trigger,
		.frequency = options->frequency,
		.event = options->event,
	};
	uint64_t id, cookie, since;
	int error;

	ktr_notice_fd(ktr);
	if (options->sinks & KTRACE_SINK_STREAM)
		new.nr_subbufs = subbufs_of(options->buffer ? options->buffer : usual_buffer(ktr));
	if (plan && !(options->sinks & KTRACE_SINK_COUNT) && !costs_measure(ktr))
		new.budget = 0;
	if (options->budget && !new.budget && !options->is_budget_optional)
		return err_set(err, "The cost of a probe on this machine could not be measured, so --budget cannot be kept; omit it, and watch the cost with: ktrace ctl show.");
	error = ktr_session_new(ktr, &new, &id, &cookie);
	if (error)
		return explain_new(ktr, error, options, err);
	error = plan ? edit_add(ktr, id, plan, 0) :
		options->kplan ? kplan_send(options->kplan, ktr, id) : 0;
	if (!error && options->keep && options->keep(options->keep_arg, cookie, err))
		goto delete;
	if (!error && options->unwinder)
		unwinder_give(options->unwinder, id);
	since = clock_now_ns();
	if (!error)
		error = ktr_session_commit(ktr, id);
	if (error) {
		explain_adding(ktr, error, has_run_out(options, since), err);
		goto delete;
	}
	if (wait_attached(ktr, id, options, since, is_cancelled, session, err))
		goto delete;
	return 0;
delete:
	session_delete(ktr, id);
	return -1;
}

/* --- the end ------------------------------------------------------------ */

int session_stop(struct ktr *ktr, struct ktr_session *session)
{
	int error;

	ktr_notice_fd(ktr);
	error = ktr_session_stop(ktr, session->id);
	while (!error) {
		error = ktr_session_get(ktr, session->id, session);
		if (error || session->state == KTRACE_STATE_STOPPED)
			break;
		session_wait(ktr);
	}
	return error;
}

/* --- words -------------------------------------------------------------- */

const struct session_sink session_sinks[SESSION_NR_SINKS] = {
	{ KTRACE_SINK_HIST, "histograms" }, { KTRACE_SINK_COUNT, "counts" },
	{ KTRACE_SINK_TREE, "tree" }, { KTRACE_SINK_TABLE, "table" },
	{ KTRACE_SINK_STREAM, "stream" }, { KTRACE_SINK_STACKS, "stacks" },
};

const char *session_state(uint32_t state)
{
	static const char *const names[] = {
		[KTRACE_STATE_NEW] = "new",
		[KTRACE_STATE_ATTACHING] = "attaching",
		[KTRACE_STATE_ACTIVE] = "active",
		[KTRACE_STATE_STOPPED] = "stopped",
		[KTRACE_STATE_FAILED] = "failed",
		[KTRACE_STATE_CHANGING] = "changing",
		[KTRACE_STATE_PAUSED] = "paused",
	};

	if (state >= sizeof(names) / sizeof(names[0]) || !names[state])
		return "unknown";
	return names[state];
}

const char *session_provider(uint32_t provider)
{
	static const char *const names[] = {
		[KTRACE_PROVIDER_USER] = "user", [KTRACE_PROVIDER_SYSCALLS] = "syscalls",
		[KTRACE_PROVIDER_KERNEL] = "kernel", [KTRACE_PROVIDER_SYSENTER] = "sysenter",
		[KTRACE_PROVIDER_SCHED] = "sched", [KTRACE_PROVIDER_BLOCK] = "block",
		[KTRACE_PROVIDER_VIRTIO] = "virtio", [KTRACE_PROVIDER_FAULT] = "fault",
		[KTRACE_PROVIDER_PROFILE] = "profile",
	};

	if (provider >= sizeof(names) / sizeof(names[0]) || !names[provider])
		return "unknown";
	return names[provider];
}

uint64_t session_lost(const struct ktrace_counters *c)
{
	return c->dropped + c->lost_pool + c->lost_depth + c->lost_nested + c->lost_fault +
	       c->lost_tree + c->lost_rows + c->lost_missed + c->lost_stacks + c->lost_files + c->gaps;
}

void session_allow_overwritten(struct ktr_session *session)
{
	struct ktrace_counters *counters = &session->counters;

	if (!(session->flags & KTRACE_F_OVERWRITE))
		return;
	counters->dropped -= counters->dropped_overwritten;
	counters->dropped_overwritten = 0;
}

#define LOSS(member, reason, what) { offsetof(struct ktrace_counters, member), reason, what }

const struct session_loss session_losses[SESSION_NR_LOSSES] = {
	LOSS(dropped_full, "ring_full",
	     "records dropped: the ring was full (--buffer makes it larger)"),
	LOSS(dropped_overwritten, "overwritten", "records overwritten by newer ones"),
	LOSS(lost_pool, "no_memory", "calls lost: no preallocated memory was free"),
	LOSS(lost_depth, "too_deep", "calls lost: nested too deep"),
	LOSS(lost_nested, "nested_hit", "hits lost: ktrace was handling another hit there"),
	LOSS(lost_fault, "unreadable",
	     "hits, or their page counts, lost: memory could not be read"),
	LOSS(lost_tree, "tree_full", "calls counted in the node \"tree full\""),
	LOSS(lost_missed, "missed_return",
	     "calls missed, of all tasks: the kernel had no room for their returns, or for the counter of a CPU"),
	LOSS(lost_rows, "table_full", "calls without a row of their own: the table was full"),
	LOSS(lost_stacks, "stacks",
	     "stacks not kept: no room, no time, or another stack was being taken"),
	LOSS(lost_files, "unknown_file",
	     "pieces of I/O omitted: their file, or its folder, is unknown"),
	LOSS(gaps, "new_code", "times a program continued before its new code was probed"),
};

char *session_loss_text(const struct ktrace_counters *counters)
{
	const struct session_loss *loss = session_losses;
	char *text = mem_string(""), *longer;
	uint64_t nr;

	for (; loss < session_losses + SESSION_NR_LOSSES; loss++) {
		nr = *(const uint64_t *)((const char *)counters + loss->counter);
		if (!nr)
			continue;
		longer = mem_format("%s%s%llu %s", text, *text ? "; " : "", (unsigned long long)nr,
				    loss->what);
		free(text);
		text = longer;
	}
	return text;
}
