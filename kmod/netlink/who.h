/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_WHO_H
#define KT_WHO_H

#include <linux/types.h>

struct genl_info;
struct kt_conditions;
struct kt_provider;
struct pid;

/* The tasks of WHO in a request. */
struct kt_who {
	struct pid **pids;		/* processes to trace; with references */
	u32 nr_pids;
	struct pid **not_pids;		/* processes to remove; with references */
	u32 nr_not_pids;
	struct kt_conditions *conditions;	/* or NULL */
	u32 conditions_given;		/* KT_GIVEN_* */
	bool does_follow;
	bool is_on_exec;
};

/*
 * Fill who from WHO of a SESSION_NEW, or of a SESSION_CHANGE or SESSION_COMMIT. After an error,
 * too, the caller calls kt_who_put() or takes the references over. Process context, may sleep.
 * Return 0 or a negative errno.
 */
int kt_who_get_new(const struct genl_info *info, const struct kt_provider *provider,
		   struct kt_who *who);
int kt_who_get_change(const struct genl_info *info, const struct kt_provider *provider,
		      struct kt_who *who);
void kt_who_put(struct kt_who *who);

#endif
