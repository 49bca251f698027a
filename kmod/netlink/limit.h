/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_LIMIT_H
#define KT_LIMIT_H

#include <linux/types.h>

struct genl_info;
struct kt_session_config;

/* The contents of LIMIT in a SESSION_CHANGE or SESSION_COMMIT. */
struct kt_limit {
	bool has_min_time;
	u64 min_time;		/* ns */
	u32 max_depth;		/* 0: not given */
};

/* Fills limit from a request that changes a session. Returns 0 or a negative errno. */
int kt_limit_get_change(const struct genl_info *info, struct kt_limit *limit);

/*
 * Fills the limits of config from a SESSION_NEW, with defaults for limits that are not given. The
 * provider, sinks and flags of config must be set. Returns 0 or a negative errno.
 */
int kt_limit_get_new(const struct genl_info *info, struct kt_session_config *config);

#endif
