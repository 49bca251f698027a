// SPDX-License-Identifier: GPL-2.0
/* From the options of a command that counts in the kernel to its sessions. */
#include "cmd/gather_attach.h"
#include "cmd/progress.h"
#include "cmd/recording.h"
#include "report/kplan_text.h"
#include "report/record.h"
#include "session/session.h"
#include "session/sidecar.h"
#include "session/wait.h"
#include "util/signals.h"

struct attaching {
	const struct gather *config;
	const struct gather_view *view;
	uint64_t cookie;	/* of the sidecar, or 0 */
};

/* Stores what later commands need: how the session was begun, and the names of its functions. */
static int keep(void *arg, uint64_t cookie, struct err *err)
{
	struct attaching *attaching = arg;
	const struct kplan *plan = attaching->view->kplan;
	struct origin origin = { .words = (const char **)attaching->config->words };

	attaching->cookie = cookie;
	return sidecar_write_kernel(attaching->config->kept, cookie, plan ? &plan->names : NULL,
				    &origin, err);
}

static int attach_session(struct ktr *ktr, const struct session_options *options,
			  struct ktr_session *session, struct err *err)
{
	int error = session_attach(ktr, NULL, options, &signals_nr_ends, session, err);

	progress_end();
	if (error || !options->kplan)
		return error;
	error = kplan_check_probed(stderr, options->kplan, ktr, session, err);
	if (error)
		session_delete(ktr, session->id);
	return error;
}

static uint32_t sinks_of(const struct gather *config, const struct gather_view *view)
{
	uint32_t sinks = view->sinks;

	if (config->by)
		sinks = (sinks & ~KTRACE_SINK_HIST) | KTRACE_SINK_TABLE;
	if (view->events && config->with_stacks)
		sinks |= KTRACE_SINK_STACKS;
	if (view->events && config->slow != NOT_SLOW)
		sinks |= KTRACE_SINK_STREAM;
	return sinks;
}

int gather_attach(struct ktr *ktr, const struct gather *config, const struct gather_view *view,
		  const struct gather_choice *choice, struct ktr_session *session, struct err *err)
{
	struct attaching attaching = { config, view, 0 };
	uint32_t sinks = sinks_of(config, view);
	struct session_options options = {
		.name = config->kept,
		.provider = view->provider,
		.sinks = sinks,
		.flags = view->flags | (choice->has_gate ? KTRACE_F_GATE : 0) |
			 (config->keeps_newest ? KTRACE_F_OVERWRITE : 0),
		.does_follow = !view->is_of_no_task,
		.is_on_exec = choice->is_on_exec,
		.pids = choice->pids,
		.nr_pids = choice->nr_pids,
		.conditions = conditions_of(&config->conditions),
		.min_time = sinks & KTRACE_SINK_STREAM ? config->slow : config->min_time,
		.max_depth = view->max_depth,
		.frequency = view->frequency,
		.event = view->event,
		.buffer = config->buffer,
		.kplan = view->kplan,
		.progress = view->kplan ? progress_choose() : NULL,
		.devs = view->devs,
		.nr_devs = view->nr_devs,
		.files = view->files,
		.nr_files = view->nr_files,
		.table = config->by ? &config->table : view->table,
		.unwinder = sinks & KTRACE_SINK_STACKS ? config->unwinder : NULL,
		.keep = config->kept ? keep : NULL,
		.keep_arg = &attaching,
	};
	int error;

	if (recording_is_on())
		recording_fill(&options);
	error = attach_session(ktr, &options, session, err);
	if (error && attaching.cookie)
		sidecar_remove(config->kept, attaching.cookie);
	return error;
}

struct record_source gather_source(const struct gather *config, const struct gather_view *view)
{
	return (struct record_source){
		.names = view->kplan ? &view->kplan->names : NULL,
		.stacks = config->with_stacks ? &config->stacks : NULL,
		.io = view->io_names,
	};
}
