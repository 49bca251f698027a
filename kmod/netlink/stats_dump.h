/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_STATS_DUMP_H
#define KT_STATS_DUMP_H

struct netlink_callback;
struct sk_buff;

/* Dump callbacks; cb->args[0] is the session, the others are theirs. */
int kt_stats_dump_funcs(struct sk_buff *skb, struct netlink_callback *cb);
int kt_stats_dump_tree(struct sk_buff *skb, struct netlink_callback *cb);

#endif
