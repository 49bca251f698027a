// SPDX-License-Identifier: GPL-2.0
/* Sockets that receive notices. A socket whose buffer is full misses notices and gets ENOBUFS. */
#include <linux/list.h>
#include <linux/slab.h>
#include <linux/spinlock.h>
#include <net/genetlink.h>

#include "netlink/subscriber.h"

struct subscriber {
	struct list_head node;
	struct net *net;	/* held by the socket, which outlives this entry */
	u32 portid;
};

static LIST_HEAD(subscribers);
static unsigned int nr_subscribers;
static DEFINE_SPINLOCK(lock);	/* guards both */

bool kt_subscriber_is_any(void)
{
	return !list_empty_careful(&subscribers);
}

static struct subscriber *subscriber_find(struct net *net, u32 portid)
{
	struct subscriber *sub;

	list_for_each_entry(sub, &subscribers, node)
		if (sub->net == net && sub->portid == portid)
			return sub;
	return NULL;
}

int kt_subscriber_add(struct net *net, u32 portid, unsigned int max)
{
	struct subscriber *sub = kmalloc(sizeof(*sub), GFP_KERNEL);
	bool is_known, is_added;

	if (!sub)
		return -ENOMEM;
	sub->net = net;
	sub->portid = portid;
	spin_lock_bh(&lock);
	is_known = subscriber_find(net, portid);
	is_added = !is_known && (!max || nr_subscribers < max);
	if (is_added) {
		list_add(&sub->node, &subscribers);
		nr_subscribers++;
	}
	spin_unlock_bh(&lock);
	if (!is_added)
		kfree(sub);
	return is_known || is_added ? 0 : -EMFILE;
}

void kt_subscriber_remove(struct net *net, u32 portid)
{
	struct subscriber *sub;

	spin_lock_bh(&lock);
	sub = subscriber_find(net, portid);
	if (sub) {
		list_del(&sub->node);
		nr_subscribers--;
	}
	spin_unlock_bh(&lock);
	kfree(sub);
}

void kt_subscriber_send(struct sk_buff *skb)
{
	struct subscriber *sub;
	struct sk_buff *copy;

	spin_lock_bh(&lock);
	list_for_each_entry(sub, &subscribers, node) {
		copy = skb_clone(skb, GFP_ATOMIC);
		if (copy)
			genlmsg_unicast(sub->net, copy, sub->portid);
	}
	spin_unlock_bh(&lock);
	consume_skb(skb);
}

void kt_subscriber_exit(void)
{
	struct subscriber *sub, *next;

	list_for_each_entry_safe(sub, next, &subscribers, node)
		kfree(sub);
	INIT_LIST_HEAD(&subscribers);
}
