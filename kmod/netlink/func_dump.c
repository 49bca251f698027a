// SPDX-License-Identifier: GPL-2.0
/* FUNC_GET: the functions of a session, and the state of their probes. */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "core/figures.h"
#include "core/session.h"
#include "netlink/commands.h"
#include "netlink/dump.h"
#include "netlink/message.h"
#include "session/taken_out.h"
#include "uprobe/batch.h"

/* cb->args of this dump */
enum { NEXT = KT_DUMP_OWN, FILLERS };

/* Reads the batch under RCU: a batch that is only staged may be dropped at any time. */
static int func_dump_put_place(struct sk_buff *skb, const struct kt_func *func)
{
	const struct kt_batch *batch;
	int error = 0;

	rcu_read_lock();
	batch = READ_ONCE(func->batch);
	if (batch && batch->build_id_len)
		error = nla_put(skb, KTRACE_A_BUILD_ID, batch->build_id_len, batch->build_id);
	if (batch && !error)
		error = nla_put_u64_64bit(skb, KTRACE_A_OFFSET, func->desc.start, KTRACE_A_PAD);
	rcu_read_unlock();
	return error;
}

static int func_dump_put_taken_out(struct sk_buff *skb, const struct kt_session *session, u32 func)
{
	struct ktrace_taken_out taken_out;

	if (!kt_taken_out_get(session, func, &taken_out))
		return 0;
	return nla_put(skb, KTRACE_A_TAKEN_OUT, sizeof(taken_out), &taken_out);
}

static int func_dump_put_func(struct sk_buff *skb, struct netlink_callback *cb, u32 nr)
{
	const struct kt_session *session = (const struct kt_session *)cb->args[KT_DUMP_SESSION];
	const struct kt_func *func = &session->hot.funcs[nr];
	void *head = kt_message_begin(skb, cb, KTRACE_CMD_FUNC_GET);

	if (!head)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KTRACE_A_FUNC, nr) ||
	    (func->error && nla_put_s32(skb, KTRACE_A_ERROR, func->error)) ||
	    func_dump_put_taken_out(skb, session, nr) || func_dump_put_place(skb, func)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

static bool func_dump_is_hit(const struct kt_figures *figures, u32 func)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (figures->hist && READ_ONCE(figures->hist[cpu][func]))
			return true;
	return false;
}

/* A function may exceed the budget by hits of tasks that are not traced, without a call. */
static bool func_dump_is_to_show(const struct kt_session *session,
				 const struct kt_figures *figures, u32 nr, bool probed)
{
	const struct kt_func *func = &session->hot.funcs[nr];
	struct ktrace_taken_out taken_out;

	if (probed)
		return func->is_committed && !func->is_gone;
	return func->error || func_dump_is_hit(figures, nr) ||
	       kt_taken_out_get(session, nr, &taken_out);
}

/* cb->args[KT_DUMP_FLAGS] is KTRACE_READ_PROBED or 0. */
static int func_dump_put_funcs(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct kt_session *session = (struct kt_session *)cb->args[KT_DUMP_SESSION];
	const struct kt_figures *figures = (const struct kt_figures *)cb->args[KT_DUMP_FIGURES];
	int error = 0;
	u32 func;

	for (func = cb->args[NEXT]; func < session->config.nr_funcs; func++) {
		/* There may be millions of functions, and few of them hit. */
		cond_resched();
		if (!func_dump_is_to_show(session, figures, func, cb->args[KT_DUMP_FLAGS]))
			continue;
		error = func_dump_put_func(skb, cb, func);
		if (error)
			break;
	}
	cb->args[NEXT] = func;
	if (error && !skb->len)
		return kt_message_put_filler(skb, cb, KTRACE_CMD_FUNC_GET, &cb->args[FILLERS]);
	return skb->len;
}

int kt_func_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	int error = kt_dump_begin_figures(cb, KTRACE_READ_PROBED);

	if (error)
		return error;
	if (!cb->args[FILLERS])
		return kt_message_put_filler(skb, cb, KTRACE_CMD_FUNC_GET, &cb->args[FILLERS]);
	return func_dump_put_funcs(skb, cb);
}
