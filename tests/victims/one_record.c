// SPDX-License-Identifier: GPL-2.0
/*
 * one_record.so is loaded in front of ktrace (LD_PRELOAD), and has its sessions with a stream write
 * one record per call: it adds KTRACE_F_NO_ENTRIES to the flags of SESSION_NEW. With
 * KTRACE_TRIGGER="FUNC FLAGS MIN_NS AFTER_NS" it also adds KTRACE_F_OVERWRITE and a TRIGGER.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>

#include "../../include/uapi/ktrace.h"

/* Of libnl, whose headers are not needed to build the victims. */
struct nl_msg;
typedef struct nlmsghdr *(*head_fn)(struct nl_msg *msg);
typedef int (*put_u32_fn)(struct nl_msg *msg, int type, uint32_t value);
typedef int (*put_fn)(struct nl_msg *msg, int type, int len, const void *data);

int nla_put_u32(struct nl_msg *msg, int type, uint32_t value);

static int is_new(struct nl_msg *msg)
{
	head_fn head_of = (head_fn)dlsym(RTLD_NEXT, "nlmsg_hdr");
	const struct genlmsghdr *head = NLMSG_DATA(head_of(msg));

	return head->cmd == KTRACE_CMD_SESSION_NEW;
}

static uint32_t put_trigger(struct nl_msg *msg, const char *wanted)
{
	put_fn put = (put_fn)dlsym(RTLD_NEXT, "nla_put");
	unsigned long long min, after;
	struct ktrace_trigger trigger;

	if (!wanted || sscanf(wanted, "%u %u %llu %llu", &trigger.func, &trigger.flags, &min,
			      &after) != 4)
		return 0;
	trigger.min_ns = min;
	trigger.after_ns = after;
	put(msg, KTRACE_A_TRIGGER, sizeof(trigger), &trigger);
	return KTRACE_F_OVERWRITE;
}

int nla_put_u32(struct nl_msg *msg, int type, uint32_t value)
{
	put_u32_fn put = (put_u32_fn)dlsym(RTLD_NEXT, __func__);
	static uint32_t sinks;

	if (type == KTRACE_A_SINKS)
		sinks = value;
	if (type == KTRACE_A_FLAGS && (sinks & KTRACE_SINK_STREAM) && is_new(msg))
		value |= KTRACE_F_NO_ENTRIES | put_trigger(msg, getenv("KTRACE_TRIGGER"));
	return put(msg, type, value);
}
