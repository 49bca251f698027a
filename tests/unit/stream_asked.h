/* SPDX-License-Identifier: GPL-2.0 */
/*
 * For tests that stand in for the module: what ktr_stream_next() asks, and how it is answered. The
 * test defines ktr_receive(), which calls ktr_answer_packet() and sets ktr->is_over.
 */
#ifndef STREAM_ASKED_H
#define STREAM_ASKED_H

#include <netlink/genl/genl.h>

#include "../../user/client/parts.h"

static struct {
	uint32_t cpu;
	uint64_t cursor, keep;
	bool is_begun;		/* for the test; false when a request was sent */
} asked;

static struct ktr asking;	/* for ktr_stream_open() */

int ktr_open_socket(struct ktr *ktr)
{
	ktr->sock = NULL;
	return 0;
}

int ktr_send(struct ktr *ktr, struct nl_msg *msg)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];

	genlmsg_parse(nlmsg_hdr(msg), 0, attrs, KTRACE_A_MAX, NULL);
	asked.cpu = ktr_u32(attrs[KTRACE_A_CPU]);
	asked.cursor = ktr_u64(attrs[KTRACE_A_CURSOR]);
	asked.keep = ktr_u64(attrs[KTRACE_A_KEEP]);
	asked.is_begun = false;
	nlmsg_free(msg);
	ktr->is_over = false;
	ktr->error = 0;
	return 0;
}

/* Answers with a packet or, if it is NULL, with a clock and counters, as each dump does first. */
static void ktr_answer_packet(struct ktr *ktr, uint64_t clock, const void *packet, size_t len)
{
	static const struct ktrace_counters counters;
	struct nlattr *attrs[KTRACE_A_MAX + 1] = { NULL };
	struct nl_msg *msg = nlmsg_alloc_size(len + 1024);

	if (packet) {
		nla_put(msg, KTRACE_A_PACKET, len, packet);
	} else {
		nla_put_u64(msg, KTRACE_A_CLOCK, clock);
		nla_put(msg, KTRACE_A_COUNTERS, sizeof(counters), &counters);
	}
	nlmsg_parse(nlmsg_hdr(msg), 0, attrs, KTRACE_A_MAX, NULL);
	ktr->answer(ktr, attrs);
	nlmsg_free(msg);
}

#endif
