// SPDX-License-Identifier: GPL-2.0
/*
 * STREAM_READ: packets of one CPU.
 *
 * The first message is small, because the kernel's first skb of a dump may be small. It requests
 * larger ones (min_dump_alloc). If a packet still does not fit in its skb, a small message without
 * a packet takes its place: an empty answer would end the dump.
 */
#include <net/genetlink.h>
#include <net/sock.h>

#include <uapi/ktrace.h>
#include <uapi/ktrace_record.h>

#include "core/provider.h"
#include "core/ring.h"
#include "core/session.h"
#include "lib/clock.h"
#include "netlink/commands.h"
#include "netlink/dump.h"
#include "netlink/lockdown.h"
#include "netlink/message.h"
#include "providers/kfunc_record.h"
#include "session/sessions.h"

/* cb->args of this dump */
enum { STATE = KT_DUMP_SESSION + 1, CPU, CURSOR, PACKETS_LEFT, FILLERS };

static int stream_dump_start(struct kt_session *session, struct netlink_callback *cb,
			     struct nlattr **attrs, u64 *clock)
{
	u32 flags = attrs[KTRACE_A_FLAGS] ? nla_get_u32(attrs[KTRACE_A_FLAGS]) : 0;
	u32 cpu = nla_get_u32(attrs[KTRACE_A_CPU]);
	u64 cursor = nla_get_u64(attrs[KTRACE_A_CURSOR]), socket;
	u64 keep = attrs[KTRACE_A_KEEP] ? nla_get_u64(attrs[KTRACE_A_KEEP]) : cursor;

	if (!session->hot.ring || cpu >= nr_cpu_ids || !cpu_possible(cpu) || keep > cursor ||
	    (flags & ~KTRACE_READ_FLUSH))
		return -EINVAL;
	socket = kt_message_socket_of(sock_net(cb->skb->sk), NETLINK_CB(cb->skb).portid);
	if (kt_session_take_reader(session, socket))
		return -EBUSY;
	kt_ring_acknowledge(session->hot.ring, cpu, keep);
	*clock = flags & KTRACE_READ_FLUSH ? kt_ring_flush(session->hot.ring, cpu) : 0;
	cb->args[CPU] = cpu;
	cb->args[CURSOR] = cursor;
	cb->args[PACKETS_LEFT] = session->config.nr_subbufs;
	return 0;
}

static int stream_dump_put_head(struct sk_buff *skb, struct netlink_callback *cb, u64 clock)
{
	struct kt_session *session = (struct kt_session *)cb->args[KT_DUMP_SESSION];
	struct ktrace_counters counters = { 0 };
	void *head = kt_message_begin(skb, cb, KTRACE_CMD_STREAM_READ);

	kt_session_counters(session, cb->args[CPU], &counters);
	if (!head || nla_put_u32(skb, KTRACE_A_CPU, cb->args[CPU]) ||
	    nla_put_u64_64bit(skb, KTRACE_A_CLOCK, clock, KTRACE_A_PAD) ||
	    nla_put(skb, KTRACE_A_COUNTERS, sizeof(counters), &counters))
		return -EMSGSIZE;
	genlmsg_end(skb, head);
	return skb->len;
}

/* Checked at each read: packets from before a lockdown may be read after it. */
static bool stream_dump_has_hidden(const struct kt_session *session)
{
	return session->config.provider->is_on_kernel_stack && kt_lockdown_hides();
}

static int stream_dump_put_packet(struct sk_buff *skb, struct netlink_callback *cb, u64 number,
				  const void *packet, size_t len)
{
	void *head = kt_message_begin(skb, cb, KTRACE_CMD_STREAM_READ);
	struct nlattr *copy = NULL;

	if (!head)
		return -EMSGSIZE;
	if (!nla_put_u64_64bit(skb, KTRACE_A_CURSOR, number, KTRACE_A_PAD))
		copy = nla_reserve(skb, KTRACE_A_PACKET, len);
	if (!copy) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	memcpy(nla_data(copy), packet, len);
	if (stream_dump_has_hidden((const struct kt_session *)cb->args[KT_DUMP_SESSION]))
		kt_kfunc_hide_results(nla_data(copy), len);
	genlmsg_end(skb, head);
	return 0;
}

static int stream_dump_put_filler(struct sk_buff *skb, struct netlink_callback *cb)
{
	void *head;

	if (++cb->args[FILLERS] > KT_MAX_FILLERS)
		return -ENOBUFS;
	head = kt_message_begin(skb, cb, KTRACE_CMD_STREAM_READ);
	if (!head || nla_put_u32(skb, KTRACE_A_CPU, cb->args[CPU]))
		return -ENOBUFS;
	genlmsg_end(skb, head);
	return skb->len;
}

static int stream_dump_put_packets(struct sk_buff *skb, struct netlink_callback *cb,
				   struct kt_ring *ring)
{
	const void *packet;
	size_t len;
	u64 number;

	for (; cb->args[PACKETS_LEFT]; cb->args[PACKETS_LEFT]--) {
		number = cb->args[CURSOR];
		if (kt_ring_packet(ring, cb->args[CPU], &number, &packet, &len))
			break;
		if (stream_dump_put_packet(skb, cb, number, packet, len))
			return skb->len ? skb->len : stream_dump_put_filler(skb, cb);
		cb->args[CURSOR] = number + 1;
	}
	return skb->len;
}

int kt_stream_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	u64 clock, needed = MASK(SESSION) | MASK(CPU) | MASK(CURSOR);
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	int error = kt_dump_begin(cb, attrs, needed | MASK(FLAGS) | MASK(KEEP), needed);
	struct kt_session *session;

	if (error)
		return error;
	session = (struct kt_session *)cb->args[KT_DUMP_SESSION];
	if (cb->args[STATE])
		return stream_dump_put_packets(skb, cb, session->hot.ring);
	error = stream_dump_start(session, cb, attrs, &clock);
	if (error)
		return error;
	cb->args[STATE] = 1;
	cb->min_dump_alloc = KT_MIN_DUMP_ALLOC;
	return stream_dump_put_head(skb, cb, clock);
}
