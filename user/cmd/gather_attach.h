/* SPDX-License-Identifier: GPL-2.0 */
#ifndef GATHER_ATTACH_H
#define GATHER_ATTACH_H

#include "cmd/cmd_gather.h"

/* The tasks that a session of a view traces, and when it begins. */
struct gather_choice {
	const int32_t *pids;	/* none: conditions choose among all tasks */
	size_t nr_pids;
	bool is_on_exec;	/* pids count from their exec on */
	bool has_gate;		/* it counts while its gate is open */
};

/* Makes and attaches the session of a view. Returns 0, or -1 with err set. */
int gather_attach(struct ktr *ktr, const struct gather *config, const struct gather_view *view,
		  const struct gather_choice *choice, struct ktr_session *session, struct err *err);

/* What the numbers in the session's records mean. */
struct record_source gather_source(const struct gather *config, const struct gather_view *view);

#endif
