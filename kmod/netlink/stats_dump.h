/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_STATS_DUMP_H
#define KT_STATS_DUMP_H

#include <linux/types.h>

struct netlink_callback;
struct sk_buff;

/* Dump callbacks; cb->args[0] is the session, the others are theirs. */
int kt_stats_dump_funcs(struct sk_buff *skb, struct netlink_callback *cb);
int kt_stats_dump_tree(struct sk_buff *skb, struct netlink_callback *cb);

/* Those of count[KTRACE_NR_OCTAVES * KT_OCTAVE_LEN] that are not 0, as BUCKETS. -EMSGSIZE. */
int kt_stats_put_buckets(struct sk_buff *skb, const u64 *count);

#endif
