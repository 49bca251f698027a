// SPDX-License-Identifier: GPL-2.0
/*
 * STACK_GET: stacks of a session. Kernel frames are sent as names without addresses, so that a
 * client that may not see kernel addresses can still show them.
 */
#include <linux/kallsyms.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/pid_namespace.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "core/session.h"
#include "core/stacks.h"
#include "core/unwind_places.h"
#include "lib/pids.h"
#include "netlink/commands.h"
#include "netlink/dump.h"
#include "netlink/message.h"

#define NAME_LEN 128			/* at most, with the terminating zero */
#define NAMES_LEN 8192			/* of all names; a message has less than 16 KiB */

/* cb->args of this dump */
enum { STATE = KT_DUMP_SESSION + 1, NEXT, FILLERS };

struct answer {
	struct kt_kept kept;
	struct ktrace_place places[KTRACE_STACK_FRAMES];
	char name[KSYM_SYMBOL_LEN];	/* of the last frame */
	char names[NAMES_LEN];
	size_t len;			/* of names */
};

static int stacks_dump_put_filler(struct sk_buff *skb, struct netlink_callback *cb)
{
	return kt_message_put_filler(skb, cb, KTRACE_CMD_STACK_GET, &cb->args[FILLERS]);
}

/*
 * A return address may lie behind the function that made the call, so the name is looked up one
 * byte before it. The address of an interrupted instruction, which follows an "asm_" frame or is
 * the first of a sample, is used as it is: it may be the first of its function. An address without
 * a name is not revealed.
 */
static void stacks_dump_add_name(struct answer *answer, unsigned long addr)
{
	bool is_interrupted = answer->len ? !strncmp(answer->name, "asm_", 4) :
			      answer->kept.frames.flags & KT_STACK_EXACT;
	char *to = answer->names + answer->len;

	sprint_symbol_no_offset(answer->name, addr - !is_interrupted);
	if (!strncmp(answer->name, "0x", 2))
		strscpy(answer->name, "[unknown]", sizeof(answer->name));
	strscpy(to, answer->name, NAME_LEN);
	answer->len += strlen(to) + 1;
}

static void stacks_dump_name_all(struct answer *answer)
{
	struct kt_frames *frames = &answer->kept.frames;
	u32 i;

	answer->len = 0;
	for (i = 0; i < frames->nr_kernel && answer->len <= NAMES_LEN - NAME_LEN; i++)
		stacks_dump_add_name(answer, frames->addrs[i]);
	if (i < frames->nr_kernel)
		frames->flags |= KTRACE_STACK_KERNEL_CUT;
}

/* The reader finds the mappings of a process by its number in the reader's namespace. */
static void stacks_dump_find(struct answer *answer, const struct kt_stacks *stacks)
{
	struct kt_kept *kept = &answer->kept;

	if (!kt_stacks_is_numbered_for_current(stacks))
		kept->pid = kt_pid_in(kept->frames.tgid, task_active_pid_ns(current));
	if (kept->has_places)
		kt_unwind_places_tell(kept->places, answer->places, kept->frames.nr_user);
}

/* Copies addresses as u64: the module supports 64-bit kernels only. */
static int stacks_dump_put_program(struct sk_buff *skb, const struct answer *answer)
{
	const struct kt_frames *frames = &answer->kept.frames;

	if (!frames->tgid)
		return 0;
	if (nla_put_s32(skb, KTRACE_A_PID, answer->kept.pid) ||
	    nla_put(skb, KTRACE_A_USER_FRAMES, frames->nr_user * sizeof(u64),
		    frames->addrs + frames->nr_kernel))
		return -EMSGSIZE;
	return !answer->kept.has_places ? 0 :
	       nla_put(skb, KTRACE_A_USER_PLACES, frames->nr_user * sizeof(*answer->places),
		       answer->places);
}

static int stacks_dump_put_stack(struct sk_buff *skb, struct netlink_callback *cb,
				 const struct answer *answer)
{
	void *head = kt_message_begin(skb, cb, KTRACE_CMD_STACK_GET);

	if (!head)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KTRACE_A_STACK, cb->args[NEXT]) ||
	    nla_put_u32(skb, KTRACE_A_FLAGS, answer->kept.frames.flags & ~KT_STACK_EXACT) ||
	    nla_put_string(skb, KTRACE_A_COMM, answer->kept.frames.comm) ||
	    nla_put(skb, KTRACE_A_KERNEL_FRAMES, answer->len, answer->names) ||
	    stacks_dump_put_program(skb, answer)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

static int stacks_dump_put_stacks(struct sk_buff *skb, struct netlink_callback *cb,
				  struct kt_stacks *stacks)
{
	struct answer *answer = kmalloc(sizeof(*answer), GFP_KERNEL);
	int error = 0;

	if (!answer)
		return -ENOMEM;
	while (kt_stacks_get(stacks, cb->args[NEXT], &answer->kept)) {
		cond_resched();
		stacks_dump_name_all(answer);
		stacks_dump_find(answer, stacks);
		error = stacks_dump_put_stack(skb, cb, answer);
		if (error)
			break;
		cb->args[NEXT]++;
	}
	kfree(answer);
	return error && !skb->len ? stacks_dump_put_filler(skb, cb) : skb->len;
}

int kt_stacks_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	int error = kt_dump_begin(cb, attrs, MASK(SESSION) | MASK(CURSOR), MASK(SESSION));
	const struct kt_session *session;
	const struct nlattr *cursor;

	if (error)
		return error;
	session = (const struct kt_session *)cb->args[KT_DUMP_SESSION];
	if (cb->args[STATE])
		return session->hot.stacks ? stacks_dump_put_stacks(skb, cb, session->hot.stacks) :
		       0;
	cursor = attrs[KTRACE_A_CURSOR];
	cb->args[NEXT] = cursor ? min_t(u64, nla_get_u64(cursor), U32_MAX) : 0;
	cb->args[STATE] = 1;
	return stacks_dump_put_filler(skb, cb);
}
