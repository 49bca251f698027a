/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_TREE_DUMP_H
#define KT_TREE_DUMP_H

struct netlink_callback;
struct sk_buff;

/* A dump callback; cb->args[0] is the session, the others are its own. */
int kt_tree_dump(struct sk_buff *skb, struct netlink_callback *cb);

#endif
