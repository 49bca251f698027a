// SPDX-License-Identifier: GPL-2.0
/* INFO: version, features, limits and memory of the module. */
#include <linux/errno.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>
#include <uapi/ktrace_record.h>

#include "compat/fprobe.h"
#include "compat/genl.h"
#include "core/costs.h"
#include "core/shadow.h"
#include "lib/mem.h"
#include "netlink/commands.h"
#include "netlink/lockdown.h"
#include "netlink/message.h"
#include "session/sessions.h"
#include "version.h"

#define FEATURES (KTRACE_FEATURE_UPROBE | KTRACE_FEATURE_SYSCALLS | KTRACE_FEATURE_KERNEL | \
		  KTRACE_FEATURE_SCHED | KTRACE_FEATURE_BLOCK | \
		  KTRACE_FEATURE_VIRTIO | KTRACE_FEATURE_UNWIND | \
		  (KT_HAS_FPROBE ? KTRACE_FEATURE_FPROBE : 0))

static int info_put(struct sk_buff *skb)
{
	struct ktrace_limits limits = {
		.max_mem = kt_mem_max(),
		.nr_cpus = nr_cpu_ids,
		.subbuf_len = KTRACE_PACKET_LEN,
		.max_depth = KT_MAX_FRAMES,
		.max_sessions = kt_max_sessions,
		.max_sites = kt_session_max_sites(),
	};
	struct ktrace_costs costs;

	kt_costs_get(&costs);
	if (nla_put_string(skb, KTRACE_A_VERSION, KTRACE_VERSION) ||
	    nla_put_u32(skb, KTRACE_A_ABI, KTRACE_ABI) ||
	    nla_put_u64_64bit(skb, KTRACE_A_FEATURES, FEATURES, KTRACE_A_PAD) ||
	    nla_put(skb, KTRACE_A_LIMITS, sizeof(limits), &limits) ||
	    nla_put_u64_64bit(skb, KTRACE_A_MEM, kt_mem_used(), KTRACE_A_PAD) ||
	    nla_put_u32(skb, KTRACE_A_FLAGS, kt_lockdown_is_on() ? KTRACE_INFO_LOCKED : 0) ||
	    (costs.entry && nla_put(skb, KTRACE_A_COSTS, sizeof(costs), &costs)))
		return -EMSGSIZE;
	return 0;
}

int kt_cmd_info(struct sk_buff *request, struct genl_info *info)
{
	int error = kt_message_check(request, info->attrs, 0, 0, kt_info_extack(info));
	struct sk_buff *skb;
	void *head;

	if (error)
		return error;
	skb = kt_message_reply(info, KTRACE_CMD_INFO, &head);
	return skb ? kt_message_send(info, skb, head, info_put(skb)) : -ENOMEM;
}
