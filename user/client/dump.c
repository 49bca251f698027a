// SPDX-License-Identifier: GPL-2.0
/* Reads the functions, tree and stacks of a session. */
#include <errno.h>
#include <string.h>

#include "client/parts.h"

static void take_func(struct ktr *ktr, struct nlattr **attrs)
{
	struct ktr_func func;

	if (!attrs[KTRACE_A_FUNC])
		return;
	memset(&func, 0, sizeof(func));
	func.func = ktr_u32(attrs[KTRACE_A_FUNC]);
	func.error = ktr_told_error(ktr_u32(attrs[KTRACE_A_ERROR]));
	ktr_struct(&func.taken_out, sizeof(func.taken_out), attrs[KTRACE_A_TAKEN_OUT], 0);
	func.offset = ktr_u64(attrs[KTRACE_A_OFFSET]);
	ktr_struct(func.build_id, sizeof(func.build_id), attrs[KTRACE_A_BUILD_ID], 0);
	if (attrs[KTRACE_A_BUILD_ID])
		func.build_id_len = nla_len(attrs[KTRACE_A_BUILD_ID]);
	if (func.build_id_len > sizeof(func.build_id))
		func.build_id_len = sizeof(func.build_id);
	((ktr_func_fn)ktr->fn)(ktr->arg, &func);
}

int ktr_func_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_func_fn fn, void *arg)
{
	return ktr_dump(ktr, KTRACE_CMD_FUNC_GET, id, flags, take_func, fn, arg);
}

static void take_nodes(struct ktr *ktr, struct nlattr **attrs)
{
	const struct nlattr *nodes = attrs[KTRACE_A_NODES];

	if (nodes)
		((ktr_node_fn)ktr->fn)(ktr->arg, nla_data(nodes),
				     nla_len(nodes) / sizeof(struct ktrace_node));
}

int ktr_node_each(struct ktr *ktr, uint64_t id, uint32_t flags, ktr_node_fn fn, void *arg)
{
	return ktr_dump(ktr, KTRACE_CMD_TREE_GET, id, flags, take_nodes, fn, arg);
}

static void take_stack(struct ktr *ktr, struct nlattr **attrs)
{
	struct ktrace_place places[KTRACE_STACK_FRAMES];
	uint64_t frames[KTRACE_STACK_FRAMES];
	struct ktr_stack stack;

	if (!attrs[KTRACE_A_STACK])
		return;
	memset(&stack, 0, sizeof(stack));
	stack.nr = ktr_u32(attrs[KTRACE_A_STACK]);
	stack.flags = ktr_u32(attrs[KTRACE_A_FLAGS]);
	stack.pid = ktr_u32(attrs[KTRACE_A_PID]);
	if (attrs[KTRACE_A_COMM])
		nla_strlcpy(stack.comm, attrs[KTRACE_A_COMM], sizeof(stack.comm));
	if (attrs[KTRACE_A_KERNEL_FRAMES]) {
		stack.names = nla_data(attrs[KTRACE_A_KERNEL_FRAMES]);
		stack.names_len = nla_len(attrs[KTRACE_A_KERNEL_FRAMES]);
	}
	if (attrs[KTRACE_A_USER_FRAMES])
		stack.nr_frames = nla_len(attrs[KTRACE_A_USER_FRAMES]) / sizeof(uint64_t);
	if (stack.nr_frames > KTRACE_STACK_FRAMES)
		stack.nr_frames = KTRACE_STACK_FRAMES;
	ktr_struct(frames, sizeof(frames), attrs[KTRACE_A_USER_FRAMES], 0);
	stack.frames = frames;
	if (attrs[KTRACE_A_USER_PLACES] && (size_t)nla_len(attrs[KTRACE_A_USER_PLACES]) >=
	    stack.nr_frames * sizeof(*places)) {
		ktr_struct(places, sizeof(places), attrs[KTRACE_A_USER_PLACES], 0);
		stack.places = places;
	}
	stack.nr_addrs = stack.nr_frames;
	if (stack.nr_addrs > sizeof(stack.addrs) / sizeof(*stack.addrs))
		stack.nr_addrs = sizeof(stack.addrs) / sizeof(*stack.addrs);
	memcpy(stack.addrs, frames, stack.nr_addrs * sizeof(*stack.addrs));
	((ktr_stack_fn)ktr->fn)(ktr->arg, &stack);
}

int ktr_stack_each(struct ktr *ktr, uint64_t id, uint64_t from, ktr_stack_fn fn, void *arg)
{
	struct nl_msg *msg = ktr_request(ktr, KTRACE_CMD_STACK_GET, NLM_F_DUMP);

	if (!msg || nla_put_u64(msg, KTRACE_A_SESSION, id) ||
	    nla_put_u64(msg, KTRACE_A_CURSOR, from))
		return ktr_drop(msg);
	ktr->answer = take_stack;
	ktr->fn = fn;
	ktr->arg = arg;
	return ktr_exchange(ktr, msg);
}
