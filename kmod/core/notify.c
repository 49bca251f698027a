// SPDX-License-Identifier: GPL-2.0
/* What sessions tell everybody who subscribed. */
#include <net/genetlink.h>

#include "core/notify.h"
#include "core/subscriber.h"

#include <uapi/ktrace.h>

static struct genl_family *family;	/* there is no subscriber before it is registered */

void kt_notify_init(struct genl_family *of)
{
	family = of;
}

static int put_notice(struct sk_buff *skb, u64 session, u32 event)
{
	if (nla_put_u64_64bit(skb, KTRACE_A_SESSION, session, KTRACE_A_PAD) ||
	    nla_put_u32(skb, KTRACE_A_EVENT, event))
		return -EMSGSIZE;
	return 0;
}

static struct sk_buff *new_notice(u64 session, u32 event, void **head)
{
	struct sk_buff *skb;

	if (!kt_subscriber_is_any())
		return NULL;
	skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return NULL;
	*head = genlmsg_put(skb, 0, 0, family, 0, KTRACE_CMD_NOTICE);
	if (*head && !put_notice(skb, session, event))
		return skb;
	nlmsg_free(skb);
	return NULL;
}

static void send_notice(struct sk_buff *skb, void *head, int error)
{
	if (error) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	kt_subscriber_send(skb);
}

void kt_notify(u64 session, u32 event, u32 cpu, int error)
{
	void *head;
	struct sk_buff *skb = new_notice(session, event, &head);

	if (skb)
		send_notice(skb, head, nla_put_u32(skb, KTRACE_A_CPU, cpu) ||
			    nla_put_s32(skb, KTRACE_A_ERROR, error));
}

void kt_notify_pid(u64 session, u32 event, pid_t pid)
{
	void *head;
	struct sk_buff *skb = new_notice(session, event, &head);

	if (skb)
		send_notice(skb, head, nla_put_s32(skb, KTRACE_A_PID, pid));
}
