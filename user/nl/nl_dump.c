// SPDX-License-Identifier: GPL-2.0
/* Reads the functions, tree, stacks and packets of a session. */
#include <errno.h>
#include <string.h>

#include "nl/nl_parts.h"

static void take_func(struct knl *nl, struct nlattr **attrs)
{
	struct knl_func func;

	if (!attrs[KTRACE_A_FUNC])
		return;
	memset(&func, 0, sizeof(func));
	func.func = knl_u32(attrs[KTRACE_A_FUNC]);
	func.error = knl_told_error(knl_u32(attrs[KTRACE_A_ERROR]));
	knl_struct(&func.taken_out, sizeof(func.taken_out), attrs[KTRACE_A_TAKEN_OUT], 0);
	func.offset = knl_u64(attrs[KTRACE_A_OFFSET]);
	knl_struct(func.build_id, sizeof(func.build_id), attrs[KTRACE_A_BUILD_ID], 0);
	if (attrs[KTRACE_A_BUILD_ID])
		func.build_id_len = nla_len(attrs[KTRACE_A_BUILD_ID]);
	if (func.build_id_len > sizeof(func.build_id))
		func.build_id_len = sizeof(func.build_id);
	((knl_func_fn)nl->fn)(nl->arg, &func);
}

int knl_func_each(struct knl *nl, uint64_t id, uint32_t flags, knl_func_fn fn, void *arg)
{
	return knl_dump(nl, KTRACE_CMD_FUNC_GET, id, flags, take_func, fn, arg);
}

static void take_nodes(struct knl *nl, struct nlattr **attrs)
{
	const struct nlattr *nodes = attrs[KTRACE_A_NODES];

	if (nodes)
		((knl_node_fn)nl->fn)(nl->arg, nla_data(nodes),
				     nla_len(nodes) / sizeof(struct ktrace_node));
}

int knl_node_each(struct knl *nl, uint64_t id, uint32_t flags, knl_node_fn fn, void *arg)
{
	return knl_dump(nl, KTRACE_CMD_TREE_GET, id, flags, take_nodes, fn, arg);
}

static void take_stack(struct knl *nl, struct nlattr **attrs)
{
	struct knl_stack stack;

	if (!attrs[KTRACE_A_STACK])
		return;
	memset(&stack, 0, sizeof(stack));
	stack.nr = knl_u32(attrs[KTRACE_A_STACK]);
	stack.flags = knl_u32(attrs[KTRACE_A_FLAGS]);
	stack.pid = knl_u32(attrs[KTRACE_A_PID]);
	if (attrs[KTRACE_A_COMM])
		nla_strlcpy(stack.comm, attrs[KTRACE_A_COMM], sizeof(stack.comm));
	if (attrs[KTRACE_A_KERNEL_FRAMES]) {
		stack.names = nla_data(attrs[KTRACE_A_KERNEL_FRAMES]);
		stack.names_len = nla_len(attrs[KTRACE_A_KERNEL_FRAMES]);
	}
	if (attrs[KTRACE_A_USER_FRAMES])
		stack.nr_addrs = nla_len(attrs[KTRACE_A_USER_FRAMES]) / sizeof(uint64_t);
	if (stack.nr_addrs > KTRACE_STACK_FRAMES)
		stack.nr_addrs = KTRACE_STACK_FRAMES;
	knl_struct(stack.addrs, sizeof(stack.addrs), attrs[KTRACE_A_USER_FRAMES], 0);
	((knl_stack_fn)nl->fn)(nl->arg, &stack);
}

int knl_stack_each(struct knl *nl, uint64_t id, uint64_t from, knl_stack_fn fn, void *arg)
{
	struct nl_msg *msg = knl_request(nl, KTRACE_CMD_STACK_GET, NLM_F_DUMP);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u64(msg, KTRACE_A_CURSOR, from))
		return knl_drop(msg);
	nl->answer = take_stack;
	nl->fn = fn;
	nl->arg = arg;
	return knl_exchange(nl, msg);
}

static void take_packet(struct knl *nl, struct nlattr **attrs)
{
	struct knl_stream *stream = nl->out;
	const struct nlattr *packet = attrs[KTRACE_A_PACKET];

	if (attrs[KTRACE_A_COUNTERS]) {
		stream->clock = knl_u64(attrs[KTRACE_A_CLOCK]);
		knl_struct(&stream->counters, sizeof(stream->counters),
			    attrs[KTRACE_A_COUNTERS], 0);
	}
	if (!packet || !nl->fn)
		return;
	stream->nr_packets++;
	((knl_packet_fn)nl->fn)(nl->arg, nla_data(packet), nla_len(packet));
}

int knl_stream_read(struct knl *nl, uint64_t id, uint32_t cpu, uint64_t cursor,
		   uint32_t flags, struct knl_stream *stream, knl_packet_fn fn, void *arg)
{
	struct nl_msg *msg = knl_request(nl, KTRACE_CMD_STREAM_READ, NLM_F_DUMP);

	memset(stream, 0, sizeof(*stream));
	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u32(msg, KTRACE_A_CPU, cpu) || nla_put_u64(msg, KTRACE_A_CURSOR, cursor) ||
	    nla_put_u32(msg, KTRACE_A_FLAGS, flags))
		return knl_drop(msg);
	nl->answer = take_packet;
	nl->out = stream;
	nl->fn = fn;
	nl->arg = arg;
	return knl_exchange(nl, msg);
}
