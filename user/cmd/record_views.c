// SPDX-License-Identifier: GPL-2.0
#include <stdlib.h>

#include "cmd/gather_attach.h"
#include "cmd/record_views.h"
#include "cmd/recording.h"
#include "report/record.h"
#include "util/mem.h"

struct views {
	struct gather *config;
	const struct gather_view *first;
	struct ktr *ktr;
	struct view_stacks {
		struct views *views;
		uint64_t session;
	} stacks;		/* of the only session with stacks */
};

static int read_stacks(void *arg)
{
	const struct view_stacks *of = arg;

	struct gather *config = of->views->config;

	return stacks_read(&config->stacks, of->views->ktr, of->session, config->unwinder);
}

static int attach_view(struct views *views, const struct gather_view *view,
		       const struct recording_shared *shared, struct err *err)
{
	const struct gather_choice choice = {
		.pids = shared->pids, .nr_pids = shared->nr_pids, .is_on_exec = shared->program,
		.has_gate = shared->has_gates,
	};
	struct record_source names = gather_source(views->config, view);
	struct recorded_source source = { .names = names.names, .command = recording_words() };
	struct gather_view records = *view;
	struct ktr_session session;

	/* Figures are made of records later. The tree has the stacks of sched. */
	records.sinks &= KTRACE_SINK_TREE;
	records.table = NULL;
	if (gather_attach(shared->ktr, views->config, &records, &choice, &session, err))
		return -1;
	if (session.sinks & KTRACE_SINK_STACKS) {
		views->stacks = (struct view_stacks){ views, session.id };
		source.stacks = names.stacks;
		source.look = read_stacks;
		source.arg = &views->stacks;
		source.unwinder = views->config->unwinder;
	}
	recording_attached(&session, &source, choice.has_gate);
	return 0;
}

static int attach(void *arg, const struct recording_shared *shared, struct err *err)
{
	struct views *views = arg;
	const struct gather_view *view;

	views->ktr = shared->ktr;
	if (gather_has_tables(views->config))
		views->config->unwinder = recording_unwinder();
	for (view = views->first; view; view = view->next)
		if (attach_view(views, view, shared, err))
			return -1;
	return 0;
}

static bool has_events(const struct gather_view *view)
{
	for (; view; view = view->next)
		if (!view->events)
			return false;
	return true;
}

static int check(const struct gather *config, const struct gather_view *view, struct err *err)
{
	if (config->unwind && !config->with_stacks)
		return err_set(err, "--unwind chooses how stacks of programs are found: add --stacks.");
	if (!has_events(view))
		return err_set(err, "Only the layer block has single events to record; add commands for the others, such as: + syscall + sched.");
	if (config->min_time)
		return err_set(err, "A recording has single events: give --slow TIME in place of --min-time.");
	return 0;
}

int record_views(struct gather *config, const struct gather_view *view)
{
	struct views views = { .config = config, .first = view };
	struct recording_part part = {
		.choice = {
			.pids = &config->pids, .user = config->user, .duration = config->duration,
			.has_no_wait = config->has_no_wait,
		},
		.attach = attach, .arg = &views,
	};
	struct err err;

	if (check(config, view, &err))
		return cmd_fail(CMD_USAGE, &err);
	config->by = NULL;	/* figures are made of records later */
	for (; view && part.nr_sources < RECORDING_SESSIONS; view = view->next) {
		part.sources[part.nr_sources++] = (struct trigger_source){
			.provider = view->provider, .kplan = view->kplan,
		};
		part.nr_gates++;
	}
	return recording_add(&part);
}
