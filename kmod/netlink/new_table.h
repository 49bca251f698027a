/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_NEW_TABLE_H
#define KT_NEW_TABLE_H

struct genl_info;
struct kt_session_config;

/*
 * Fills the table of config from TABLE of a SESSION_NEW, if the request has one. The provider,
 * sinks and flags of config must be set. Process context. Returns 0 or a negative errno.
 */
int kt_new_table_get(const struct genl_info *info, struct kt_session_config *config);

#endif
