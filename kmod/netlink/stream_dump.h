/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_STREAM_DUMP_H
#define KT_STREAM_DUMP_H

struct netlink_callback;
struct nlattr;
struct sk_buff;

/* Dump callback; cb->args[0] is the session, the others are its own. */
int kt_stream_dump(struct sk_buff *skb, struct netlink_callback *cb, struct nlattr **attrs);

#endif
