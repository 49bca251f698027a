/* SPDX-License-Identifier: GPL-2.0 */
#ifndef CONDITIONS_H
#define CONDITIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "client/client.h"
#include "util/err.h"

/* Conditions on tasks, from options. An empty list with its has_ member set accepts any task. */
struct conditions {
	int32_t tids[KTRACE_MAX_PIDS];
	uint32_t uids[KTRACE_MAX_PIDS];
	size_t nr_tids, nr_uids;
	bool has_tids, has_uids, has_cgroup;
	const char *comm;
	uint64_t cgroup;
};

/*
 * Each parses an option's value; "any" removes the condition. Repeated lists add up. Each returns
 * 0, or -1 with err set.
 */
int conditions_add_threads(struct conditions *conditions, const char *text, struct err *err);
int conditions_add_users(struct conditions *conditions, const char *text, struct err *err);
int conditions_set_comm(struct conditions *conditions, const char *text, struct err *err);
int conditions_set_cgroup(struct conditions *conditions, const char *text, struct err *err);

/* Converts conditions for the module. The result points into conditions. */
struct ktr_conditions conditions_of(const struct conditions *conditions);
bool conditions_are_given(const struct conditions *conditions);

#endif
