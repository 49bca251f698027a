/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_NEW_TRIGGER_H
#define KT_NEW_TRIGGER_H

struct genl_info;
struct kt_session_config;

/*
 * Fills the trigger of config from TRIGGER of a SESSION_NEW, if the request has one. All but the
 * tasks of config must be set. Process context. Returns 0 or a negative errno.
 */
int kt_new_trigger_get(const struct genl_info *info, struct kt_session_config *config);

#endif
