// SPDX-License-Identifier: GPL-2.0
#include <string.h>

#include "cmd/recording_choice.h"

static bool is_same_pids(const struct opt_pids *a, const struct opt_pids *b)
{
	return a->nr == b->nr && !memcmp(a->pids, b->pids, a->nr * sizeof(*a->pids));
}

void recording_choice_share(struct recording_choice *all, const struct recording_choice *part)
{
	if (part->pids && part->pids->nr) {
		if (all->pids && !is_same_pids(all->pids, part->pids))
			all->twice = "-p";
		all->pids = part->pids;
	}
	if (part->user) {
		if (all->user && strcmp(all->user, part->user))
			all->twice = "--user";
		all->user = part->user;
	}
	if (part->duration) {
		if (all->duration && all->duration != part->duration)
			all->twice = "-d (of attach: --for)";
		all->duration = part->duration;
	}
	all->has_no_wait |= part->has_no_wait;
}

int recording_choice_check(const struct recording_choice *all, bool has_program, struct err *err)
{
	if (all->twice)
		return err_set(err, "%s has different values in two commands, and it is for all of them: give it once.",
			       all->twice);
	if (has_program && all->pids)
		return err_set(err, "-p and -- PROGRAM cannot be combined; give one of them.");
	if (all->user && !has_program)
		return err_set(err, "--user needs a program: -- PROGRAM [ARGS]. --uid chooses the tasks of a user.");
	return 0;
}
