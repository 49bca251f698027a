/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TARGET_H
#define KT_TARGET_H

struct genl_info;
struct kt_session_config;

/*
 * Fills config from TARGET of a SESSION_NEW. The provider of config must be set. References go to
 * config, also on error. Process context, may sleep. Returns 0 or a negative errno.
 */
int kt_target_get(const struct genl_info *info, struct kt_session_config *config);

#endif
