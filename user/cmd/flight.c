// SPDX-License-Identifier: GPL-2.0
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/flight.h"
#include "cmd/opt.h"
#include "keep/snapshots.h"
#include "report/number_names.h"
#include "report/syscall_names.h"
#include "util/clock.h"
#include "util/fmt.h"
#include "util/mem.h"
#include "util/out.h"
#include "util/own_folder.h"
#include "util/signals.h"

#define LOOK_NS (CLOCK_SECOND / 10)	/* between two looks at stacks and sessions */

struct flight {
	struct ktr *ktr;
	struct flight_options options;
	struct document_subject subject;
	struct ktrace_clocks begin;
	char *path;
	int folder;
	bool is_new;		/* the folder was created */
	struct flown {
		struct ktr_session session;
		struct recorded_source source;
	} *sessions;
	size_t nr;
	size_t triggered;	/* index of the session with the trigger; nr or above: none */
	struct named_task {
		pid_t pid;
		char comm[17];
	} *tasks;
	size_t nr_tasks;
	enum { ARMED, FIRED, HELD } state;
	uint64_t next;		/* ns: FIRED: the ring is frozen; HELD: the trigger is armed again */
	size_t nr_named;	/* functions of the session with the trigger, looked at so far */
	uint32_t nr_fired;
	int nr_signals;		/* that were answered */
	unsigned int nr_saved;
	struct recorder_sum sum;
};

/* --- begin and end ---------------------------------------------------------------- */

struct flight *flight_open(struct ktr *ktr, const struct flight_options *options, struct err *err)
{
	struct flight *flight = mem_alloc(sizeof(*flight));

	flight->ktr = ktr;
	flight->options = *options;
	flight->triggered = SIZE_MAX;
	flight->path = own_folder_path(options->recorder.path);
	flight->folder = snapshots_open(flight->path, options->recorder.is_forced, &flight->is_new,
					err);
	if (flight->folder >= 0)
		return flight;
	flight_close(flight);
	return NULL;
}

int flight_begin(struct flight *flight, const struct document_subject *subject, struct err *err)
{
	uint64_t now = clock_now_ns();
	int error = snapshots_remove(flight->folder);

	if (error)
		return err_set(err, "The former recording in %s cannot be removed: %s.", flight->path,
			       strerror(-error));
	flight->subject = *subject;
	flight->begin = (struct ktrace_clocks){
		.monotonic = now, .realtime = clock_realtime_of(now),
	};
	signals_take_saves();
	return 0;
}

void flight_add(struct flight *flight, const struct ktr_session *session,
		const struct recorded_source *source, bool has_trigger)
{
	flight->sessions = mem_grow(flight->sessions, flight->nr, sizeof(*flight->sessions));
	flight->sessions[flight->nr] = (struct flown){ *session, *source };
	if (has_trigger) {
		flight->triggered = flight->nr;
		flight->nr_named = source->names ? source->names->nr : 0;
	}
	flight->nr++;
}

void flight_name_task(struct flight *flight, pid_t pid, const char *comm)
{
	struct named_task *task;

	flight->tasks = mem_grow(flight->tasks, flight->nr_tasks, sizeof(*flight->tasks));
	task = &flight->tasks[flight->nr_tasks++];
	task->pid = pid;
	snprintf(task->comm, sizeof(task->comm), "%s", comm);
}

void flight_abandon(struct flight *flight)
{
	if (flight->is_new)
		rmdir(flight->path);
}

void flight_close(struct flight *flight)
{
	if (!flight)
		return;
	if (flight->folder >= 0)
		close(flight->folder);
	free(flight->sessions);
	free(flight->tasks);
	free(flight->path);
	free(flight);
}

/* --- a snapshot -------------------------------------------------------------------- */

/* Returns the name of what fired, or NULL. */
static const char *name_of(const struct flown *flown, uint32_t func)
{
	switch (flown->session.provider) {
	case KTRACE_PROVIDER_SYSCALLS:
		return syscall_name(func);
	case KTRACE_PROVIDER_BLOCK:
		return io_stage_name(KTRACE_BLOCK_STAGE(func));
	case KTRACE_PROVIDER_SCHED:
		return sched_kind(func);
	case KTRACE_PROVIDER_FAULT:
		return fault_name(func);
	default:
		return flown->source.names ? names_get(flown->source.names, func) : NULL;
	}
}

static void tell(const struct flight *flight, const char *path, const struct recorder_sum *sum,
		 const struct ktrace_triggered *seen, const char *why)
{
	const char *name = seen ? name_of(&flight->sessions[flight->triggered], seen->func) : NULL;
	char bytes[FMT_LEN], time[FMT_LEN], error[ERRNO_NAME_LEN];

	out_put(stderr, "ktrace: snapshot %s: %llu records, %s; ", path,
		(unsigned long long)sum->records, fmt_bytes(bytes, sum->bytes));
	if (!seen)
		out_put(stderr, "%s.\n", why);
	else
		out_put(stderr, "%s took %s%s%s in thread %u.\n", name ? name : "the event",
			fmt_plain(time, seen->duration), seen->error ? " and failed with " : "",
			seen->error ? errno_text(error, seen->error) : "", seen->tid);
}

/*
 * Packets of the session with the trigger are acknowledged after its event, so that the next
 * snapshot does not have this event again. All others stay until newer ones take their room.
 */
static int add_session(struct flight *flight, struct recorder *recorder, size_t i,
		       const struct ktrace_triggered *seen, struct err *err)
{
	struct flown *flown = &flight->sessions[i];
	struct ktr_session now;

	/* Another command may have deleted it. */
	if (ktr_session_get(flight->ktr, flown->session.id, &now) == -ENOENT)
		return 0;
	if (recorder_add(recorder, &flown->session, &flown->source, err))
		return -1;
	if (!seen || i != flight->triggered)
		return 0;
	recorder_take_packets(recorder);
	recorder_put_trigger(recorder, seen, flight->options.trigger->text,
			     name_of(flown, seen->func));
	return 0;
}

static int write_snapshot(struct flight *flight, struct recorder *recorder,
			  const struct ktrace_triggered *seen, const char *why, struct err *err)
{
	struct document_subject subject = flight->subject;
	size_t i;

	if (recorder_begin(recorder, &subject, err))
		return -1;
	for (i = 0; i < flight->nr_tasks; i++)
		recorder_name_task(recorder, flight->tasks[i].pid, flight->tasks[i].comm);
	for (i = 0; i < flight->nr; i++)
		if (add_session(flight, recorder, i, seen, err))
			return -1;
	return recorder_finish(recorder, why, err);
}

/* seen: the event that fired the trigger, or NULL. */
static int save(struct flight *flight, const struct ktrace_triggered *seen, const char *why,
		struct err *err)
{
	char *path = snapshots_path(flight->path, flight->nr_saved + 1);
	struct recorder_options options = flight->options.recorder;
	struct recorder_sum sum;
	struct recorder *recorder;
	int result = -1;

	options.path = path;
	options.leaves_packets = true;
	options.begin = flight->begin;
	recorder = recorder_open(flight->ktr, &options, err);
	if (recorder)
		result = write_snapshot(flight, recorder, seen, why, err);
	if (!result) {
		sum = recorder_sum(recorder);
		flight->nr_saved++;
		flight->sum.records += sum.records;
		flight->sum.bytes += sum.bytes;
		tell(flight, path, &sum, seen, why);
	}
	recorder_close(recorder);
	free(path);
	return result;
}

/* --- the trigger -------------------------------------------------------------------- */

static bool has_trigger(const struct flight *flight)
{
	return flight->triggered < flight->nr;
}

static struct ktrace_triggered seen_of(const struct flight *flight)
{
	struct ktrace_triggered seen = { .time = 0 };
	struct ktr_session now;

	if (!ktr_session_get(flight->ktr, flight->sessions[flight->triggered].session.id, &now) &&
	    now.has_trigger)
		seen = now.triggered;
	return seen;
}

static int save_event(struct flight *flight, const struct ktrace_triggered *seen, struct err *err)
{
	if (save(flight, seen, "the condition was met", err))
		return -1;
	flight->nr_fired++;
	flight->state = HELD;
	flight->next = seen->time + flight->options.holdoff;
	return 0;
}

/* Tries again later if the trigger cannot be armed now. */
static void arm(struct flight *flight)
{
	if (ktr_session_arm(flight->ktr, flight->sessions[flight->triggered].session.id) != -EBUSY)
		flight->state = ARMED;
}

static int look_at_trigger(struct flight *flight, struct err *err)
{
	struct ktrace_triggered seen;

	if (flight->state == HELD && clock_now_ns() >= flight->next)
		arm(flight);
	if (flight->state == HELD)
		return 0;
	seen = seen_of(flight);
	if (!seen.time)
		return 0;
	flight->state = FIRED;
	flight->next = seen.frozen_from;
	return clock_now_ns() <= seen.frozen_from ? 0 : save_event(flight, &seen, err);
}

/* --- while it runs ------------------------------------------------------------------- */

/* Stacks of short programs can be named only while these are there. Returns false if all ended. */
static bool look_at_sessions(struct flight *flight)
{
	struct ktr_session now;
	size_t i, nr_there = 0;
	struct flown *flown;

	for (i = 0; i < flight->nr; i++) {
		flown = &flight->sessions[i];
		nr_there += ktr_session_get(flight->ktr, flown->session.id, &now) != -ENOENT;
		if (flown->source.look)
			flown->source.look(flown->source.arg);
	}
	return nr_there;
}

/* The condition is about one number, which the module got when the session began. */
static void look_at_names(struct flight *flight)
{
	const struct trigger *trigger = flight->options.trigger;
	const struct names *names = flight->sessions[flight->triggered].source.names;

	for (; names && flight->nr_named < names->nr; flight->nr_named++)
		if (names->texts[flight->nr_named] &&
		    trigger_is_about(trigger, names->texts[flight->nr_named]))
			out_put(stderr, "ktrace: '%s' is probed from now on, but the condition '%s' is about the function that was probed at the begin.\n",
				names->texts[flight->nr_named], trigger->text);
}

int flight_look(struct flight *flight, const char **why, struct err *err)
{
	int nr_signals = signals_nr_saves;

	*why = NULL;
	if (!look_at_sessions(flight)) {
		*why = "another command ended the sessions";
		return 0;
	}
	if (has_trigger(flight))
		look_at_names(flight);
	if (has_trigger(flight) && look_at_trigger(flight, err))
		return -1;
	if (has_trigger(flight) && flight->nr_fired == flight->options.count)
		*why = "the condition was met as often as wanted";
	if (nr_signals == flight->nr_signals)
		return 0;
	flight->nr_signals = nr_signals;
	return save(flight, NULL, "SIGUSR2 arrived", err);
}

long flight_wait_ms(const struct flight *flight)
{
	uint64_t now = clock_now_ns(), wait = LOOK_NS;

	if (flight->state != ARMED)
		wait = flight->next <= now ? 0 : flight->next - now;
	return (wait < LOOK_NS ? wait : LOOK_NS) / 1000000 + 1;
}

int flight_finish(struct flight *flight, const char *why, struct err *err)
{
	struct ktrace_triggered seen;

	if (!has_trigger(flight))
		return save(flight, NULL, why, err);
	if (flight->state == HELD)
		return 0;
	seen = seen_of(flight);
	return seen.time ? save_event(flight, &seen, err) : 0;
}

void flight_tell_sum(const struct flight *flight)
{
	double seconds = (clock_now_ns() - flight->begin.monotonic) / 1e9;
	char bytes[FMT_LEN];

	if (has_trigger(flight) && !flight->nr_fired)
		out_put(stderr, "ktrace: the condition '%s' was not met in %.1f s.\n",
			flight->options.trigger->text, seconds);
	if (flight->nr_saved)
		out_put(stderr, "ktrace: %u snapshot%s, %llu records, %s, in %.1f s; next: ktrace report %s/0001\n",
			flight->nr_saved, flight->nr_saved == 1 ? "" : "s",
			(unsigned long long)flight->sum.records,
			fmt_bytes(bytes, flight->sum.bytes), seconds, flight->path);
}
