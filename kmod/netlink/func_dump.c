// SPDX-License-Identifier: GPL-2.0
/* Functions of a session as netlink messages: which they are, and what became of their probes. */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "core/figures.h"
#include "netlink/genl.h"
#include "netlink/func_dump.h"
#include "session.h"
#include "session/throttle.h"
#include "uprobe/batch.h"

/* What was staged only may be dropped at any time. */
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

	if (!kt_throttle_took_out(session, func, &taken_out))
		return 0;
	return nla_put(skb, KTRACE_A_TAKEN_OUT, sizeof(taken_out), &taken_out);
}

static int func_dump_put_func(struct sk_buff *skb, struct netlink_callback *cb, u32 nr)
{
	const struct kt_session *session = (const struct kt_session *)cb->args[0];
	const struct kt_func *func = &session->hot.funcs[nr];
	void *head = kt_genl_begin(skb, cb, KTRACE_CMD_FUNC_GET);

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

static bool func_dump_is_to_show(const struct kt_func *func, bool is_hit, bool probed)
{
	return probed ? func->batch && !func->is_gone : is_hit || func->error;
}

/*
 * args[1]: the function to show next; args[2]: the figures; args[3]: messages without one;
 * args[4]: show those that are probed
 */
int kt_func_dump(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct kt_session *session = (struct kt_session *)cb->args[0];
	const struct kt_figures *figures = (const struct kt_figures *)cb->args[2];
	int error = 0;
	u32 func;

	if (!cb->args[3])
		return kt_genl_put_filler(skb, cb, KTRACE_CMD_FUNC_GET, &cb->args[3]);
	for (func = cb->args[1]; func < session->config.nr_funcs; func++) {
		/* There may be millions, and few of them hit. */
		cond_resched();
		if (!func_dump_is_to_show(&session->hot.funcs[func],
					  func_dump_is_hit(figures, func), cb->args[4]))
			continue;
		error = func_dump_put_func(skb, cb, func);
		if (error)
			break;
	}
	cb->args[1] = func;
	if (error && !skb->len)
		return kt_genl_put_filler(skb, cb, KTRACE_CMD_FUNC_GET, &cb->args[3]);
	return skb->len;
}
