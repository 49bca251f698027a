// SPDX-License-Identifier: GPL-2.0
/* TREE_GET: the calling-context tree of a session. */
#include <linux/string.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "core/figures.h"
#include "core/tree.h"
#include "netlink/commands.h"
#include "netlink/dump.h"
#include "netlink/message.h"

#define NODES_A_MESSAGE 128

/* cb->args of this dump: the next slot to show */
enum { NEXT = KT_DUMP_OWN };

static int tree_dump_put_nodes(struct sk_buff *skb, struct netlink_callback *cb,
			       const struct kt_tree *tree, u32 *pos)
{
	void *head = kt_message_begin(skb, cb, KTRACE_CMD_TREE_GET);
	struct ktrace_node node;
	struct nlattr *attr;
	u32 nr;

	if (!head)
		return -EMSGSIZE;
	attr = nla_nest_start(skb, KTRACE_A_NODES);
	for (nr = 0; attr && nr < NODES_A_MESSAGE && kt_tree_next(tree, pos, &node); nr++) {
		if (skb_tailroom(skb) < (int)sizeof(node))
			break;
		memcpy(skb_put(skb, sizeof(node)), &node, sizeof(node));
		++*pos;
	}
	if (!nr) {
		genlmsg_cancel(skb, head);
		return attr && !kt_tree_next(tree, pos, &node) ? 0 : -EMSGSIZE;
	}
	attr->nla_type = KTRACE_A_NODES;
	attr->nla_len = nla_attr_size(nr * sizeof(node));
	genlmsg_end(skb, head);
	return nr;
}

int kt_tree_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct kt_figures *figures;
	int nr, error = kt_dump_begin_figures(cb, 0);
	u32 pos;

	if (error)
		return error;
	figures = (const struct kt_figures *)cb->args[KT_DUMP_FIGURES];
	if (!figures->tree)
		return 0;
	pos = cb->args[NEXT];
	do {
		nr = tree_dump_put_nodes(skb, cb, figures->tree, &pos);
	} while (nr > 0);
	cb->args[NEXT] = pos;
	return skb->len ? skb->len : nr;
}
