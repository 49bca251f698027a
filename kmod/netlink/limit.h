/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_LIMIT_H
#define KT_LIMIT_H

#include <linux/types.h>

struct genl_info;
struct kt_session_config;

/* What LIMIT of a message says. */
struct kt_limit {
	bool has_min_time;
	u64 min_time;		/* ns */
	u32 max_depth;		/* 0: not given */
};

/* Of a change. 0 or a negative errno. */
int kt_limit_get_change(const struct genl_info *info, struct kt_limit *limit);

/*
 * Of a SESSION_NEW: fills config, with the usual limits where nothing is given. The provider,
 * sinks and flags are known. 0 or a negative errno.
 */
int kt_limit_get_new(const struct genl_info *info, struct kt_session_config *config);

#endif
