// SPDX-License-Identifier: GPL-2.0
/*
 * one_record.so is loaded in front of ktrace (LD_PRELOAD), and has its sessions of user functions
 * write one record per call: it adds KTRACE_F_NO_ENTRIES to the flags of SESSION_NEW.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "../../include/uapi/ktrace.h"

/* Of libnl, whose headers are not needed to run the tests. */
struct nl_msg;
struct nlmsghdr *nlmsg_hdr(struct nl_msg *msg);
int nla_put_u32(struct nl_msg *msg, int type, uint32_t value);

static int is_new(struct nl_msg *msg)
{
	const struct genlmsghdr *head = NLMSG_DATA(nlmsg_hdr(msg));

	return head->cmd == KTRACE_CMD_SESSION_NEW;
}

int nla_put_u32(struct nl_msg *msg, int type, uint32_t value)
{
	int (*put)(struct nl_msg *msg, int type, uint32_t value) = dlsym(RTLD_NEXT, __func__);
	static uint32_t sinks;

	if (type == KTRACE_A_SINKS)
		sinks = value;
	if (type == KTRACE_A_FLAGS && is_new(msg) && (sinks & KTRACE_SINK_STREAM))
		value |= KTRACE_F_NO_ENTRIES;
	return put(msg, type, value);
}
