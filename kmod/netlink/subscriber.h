/* SPDX-License-Identifier: GPL-2.0 */
#ifndef KT_SUBSCRIBER_H
#define KT_SUBSCRIBER_H

#include <linux/types.h>

struct net;
struct sk_buff;

/* Returns whether any socket receives notices. Any context. */
bool kt_subscriber_is_any(void);
/* max 0: any number. Process context. Returns 0, -ENOMEM, or -EMFILE if there are max already. */
int kt_subscriber_add(struct net *net, u32 portid, unsigned int max);
void kt_subscriber_remove(struct net *net, u32 portid);	/* atomic context */
void kt_subscriber_send(struct sk_buff *skb);		/* consumes skb; process context */
void kt_subscriber_exit(void);				/* after the family is unregistered */

#endif
