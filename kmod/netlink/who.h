/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_WHO_H
#define KT_WHO_H

#include <linux/types.h>

struct genl_info;
struct kt_conditions;
struct kt_provider;
struct pid;

/* The tasks that WHO of a message names. */
struct kt_who {
	struct pid **pids;		/* with references, as not_pids */
	u32 nr_pids;
	struct pid **not_pids;
	u32 nr_not_pids;
	struct kt_conditions *conditions;	/* or NULL */
	u32 conditions_given;		/* KT_GIVEN_* */
	bool does_follow;
	bool is_on_exec;
};

/*
 * Process context, sleep. Fills who, which kt_who_put() ends in any case. For a session that is
 * made, and for a change of one. 0 or a negative errno.
 */
int kt_who_get_new(const struct genl_info *info, const struct kt_provider *provider,
		   struct kt_who *who);
int kt_who_get_change(const struct genl_info *info, const struct kt_provider *provider,
		      struct kt_who *who);
void kt_who_put(struct kt_who *who);

#endif
