/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_COMMANDS_H
#define KT_COMMANDS_H

struct genl_info;
struct netlink_callback;
struct sk_buff;

/* The family's callbacks, one per command of include/uapi/ktrace.h. Process context. */
int kt_cmd_info(struct sk_buff *request, struct genl_info *info);
int kt_cmd_new(struct sk_buff *request, struct genl_info *info);
int kt_cmd_func_add(struct sk_buff *request, struct genl_info *info);
int kt_cmd_func_del(struct sk_buff *request, struct genl_info *info);
int kt_cmd_commit(struct sk_buff *request, struct genl_info *info);
int kt_cmd_change(struct sk_buff *request, struct genl_info *info);
int kt_cmd_get(struct sk_buff *request, struct genl_info *info);
int kt_cmd_pause(struct sk_buff *request, struct genl_info *info);
int kt_cmd_resume(struct sk_buff *request, struct genl_info *info);
int kt_cmd_stop(struct sk_buff *request, struct genl_info *info);
int kt_cmd_arm(struct sk_buff *request, struct genl_info *info);
int kt_cmd_delete(struct sk_buff *request, struct genl_info *info);
int kt_cmd_costs(struct sk_buff *request, struct genl_info *info);
int kt_cmd_reset(struct sk_buff *request, struct genl_info *info);
int kt_cmd_subscribe(struct sk_buff *request, struct genl_info *info);
int kt_cmd_unwind_add(struct sk_buff *request, struct genl_info *info);
int kt_cmd_gate(struct sk_buff *request, struct genl_info *info);
int kt_cmd_watch(struct sk_buff *request, struct genl_info *info);
int kt_cmd_continue(struct sk_buff *request, struct genl_info *info);

/* Callbacks of dumps: of all sessions, and of the data of one session. */
int kt_session_dump(struct sk_buff *skb, struct netlink_callback *cb);
int kt_func_dump(struct sk_buff *skb, struct netlink_callback *cb);
int kt_tree_dump(struct sk_buff *skb, struct netlink_callback *cb);
int kt_table_dump(struct sk_buff *skb, struct netlink_callback *cb);
int kt_stream_dump(struct sk_buff *skb, struct netlink_callback *cb);
int kt_stacks_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif
