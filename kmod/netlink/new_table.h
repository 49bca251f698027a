/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_NEW_TABLE_H
#define KT_NEW_TABLE_H

struct genl_info;
struct kt_session_config;

/* The table that a SESSION_NEW asks for, if it does; its provider, sinks and flags are known. */
int kt_new_table_get(const struct genl_info *info, struct kt_session_config *config);

#endif
