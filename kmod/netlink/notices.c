// SPDX-License-Identifier: GPL-2.0
/* Sends the events of sessions as notices to all subscribers. */
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "core/event.h"
#include "netlink/notices.h"
#include "netlink/subscriber.h"

static struct genl_family *family;	/* set before the family is registered */

static bool notices_has_pid(const struct kt_event *event)
{
	return event->what == KTRACE_EVENT_EXEC || event->what == KTRACE_EVENT_HELD ||
	       event->what == KTRACE_EVENT_MAPS;
}

static int notices_put(struct sk_buff *skb, const struct kt_event *event)
{
	if (nla_put_u64_64bit(skb, KTRACE_A_SESSION, event->session, KTRACE_A_PAD) ||
	    nla_put_u32(skb, KTRACE_A_EVENT, event->what))
		return -EMSGSIZE;
	if (notices_has_pid(event))
		return nla_put_s32(skb, KTRACE_A_PID, event->pid);
	return nla_put_u32(skb, KTRACE_A_CPU, event->cpu) ||
	       nla_put_s32(skb, KTRACE_A_ERROR, event->error) ? -EMSGSIZE : 0;
}

static void notices_send(const struct kt_event *event)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	void *head;

	if (!skb)
		return;
	head = genlmsg_put(skb, 0, 0, family, 0, KTRACE_CMD_NOTICE);
	if (!head || notices_put(skb, event)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	kt_subscriber_send(skb);
}

static const struct kt_event_hook hook = {
	.is_wanted = kt_subscriber_is_any,
	.tell = notices_send,
};

void kt_notices_init(struct genl_family *of)
{
	family = of;
	kt_event_set_hook(&hook);
}

void kt_notices_exit(void)
{
	kt_event_set_hook(NULL);
	kt_subscriber_exit();
}
