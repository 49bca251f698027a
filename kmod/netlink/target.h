/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TARGET_H
#define KT_TARGET_H

struct genl_info;
struct kt_session_config;

/*
 * Process context, sleep. What TARGET of a SESSION_NEW says; the provider of the session is known.
 * References go to config, also on error. 0 or a negative errno.
 */
int kt_target_get(const struct genl_info *info, struct kt_session_config *config);

#endif
