// SPDX-License-Identifier: GPL-2.0
/* Histograms and trees as netlink messages. */
#include <linux/rcupdate.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "core/figures.h"
#include "core/hist.h"
#include "core/tree.h"
#include "netlink/genl.h"
#include "netlink/stats_dump.h"
#include "provider.h"
#include "session.h"
#include "session/throttle.h"
#include "uprobe/batch.h"

#define NR_BUCKETS (KTRACE_NR_OCTAVES * KT_OCTAVE_LEN)
#define NODES_A_MESSAGE 128

struct func_figures {
	struct ktrace_stats stats;
	u64 count[NR_BUCKETS];
};

static void stats_dump_gather(const struct kt_figures *figures, u32 func, struct func_figures *f)
{
	const struct kt_hist *hist;
	int cpu;

	memset(f, 0, sizeof(*f));
	f->stats.min_ns = ~0ULL;
	for_each_possible_cpu(cpu) {
		hist = figures->hist ? READ_ONCE(figures->hist[cpu][func]) : NULL;
		if (hist)
			kt_hist_merge(hist, &f->stats, f->count);
	}
	if (!f->stats.calls)
		f->stats.min_ns = 0;
	/* What hits cost is left out, and may have been less than usual: see charge_self(). */
	if ((s64)f->stats.self_ns < 0)
		f->stats.self_ns = 0;
}

int kt_stats_put_buckets(struct sk_buff *skb, const u64 *count)
{
	struct ktrace_bucket *bucket;
	struct nlattr *attr;
	u32 i, nr = 0;

	for (i = 0; i < NR_BUCKETS; i++)
		nr += !!count[i];
	attr = nla_reserve(skb, KTRACE_A_BUCKETS, nr * sizeof(*bucket));
	if (!attr)
		return -EMSGSIZE;
	bucket = nla_data(attr);
	for (i = 0; i < NR_BUCKETS; i++) {
		if (!count[i])
			continue;
		bucket->index = i;
		bucket->__pad = 0;
		bucket->count = count[i];
		bucket++;
	}
	return 0;
}

/* What was staged only may be dropped at any time. */
static int stats_dump_put_place(struct sk_buff *skb, const struct kt_func *func)
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

/* What devices are called by numbers, only the session knows. */
static int stats_dump_put_dev(struct sk_buff *skb, const struct kt_session *session, u32 nr)
{
	const struct kt_provider *provider = session->config.provider;
	struct kt_place place = { .name = NULL };

	if (!provider->place_of || !provider->place_of(session, nr, &place))
		return 0;
	if (place.name && nla_put_string(skb, KTRACE_A_NAME, place.name))
		return -EMSGSIZE;
	return nla_put_u32(skb, KTRACE_A_DEV, place.dev);
}

static int stats_dump_put_taken_out(struct sk_buff *skb, const struct kt_session *session, u32 func)
{
	struct ktrace_taken_out taken_out;

	if (!kt_throttle_took_out(session, func, &taken_out))
		return 0;
	return nla_put(skb, KTRACE_A_TAKEN_OUT, sizeof(taken_out), &taken_out);
}

static int stats_dump_put_func(struct sk_buff *skb, struct netlink_callback *cb, u32 nr,
			       const struct func_figures *f)
{
	const struct kt_session *session = (const struct kt_session *)cb->args[0];
	const struct kt_func *func = &session->hot.funcs[nr];
	void *head = kt_genl_begin(skb, cb, KTRACE_CMD_FUNC_GET);

	if (!head)
		return -EMSGSIZE;
	if (nla_put_u32(skb, KTRACE_A_FUNC, nr) ||
	    (func->error && nla_put_s32(skb, KTRACE_A_ERROR, func->error)) ||
	    stats_dump_put_taken_out(skb, session, nr) || stats_dump_put_place(skb, func) ||
	    stats_dump_put_dev(skb, session, nr) ||
	    nla_put(skb, KTRACE_A_STATS, sizeof(f->stats), &f->stats) ||
	    kt_stats_put_buckets(skb, f->count)) {
		genlmsg_cancel(skb, head);
		return -EMSGSIZE;
	}
	genlmsg_end(skb, head);
	return 0;
}

static bool stats_dump_is_hit(const struct kt_figures *figures, u32 func)
{
	int cpu;

	for_each_possible_cpu(cpu)
		if (figures->hist && READ_ONCE(figures->hist[cpu][func]))
			return true;
	return false;
}

static bool stats_dump_is_to_show(const struct kt_func *func, bool is_hit, bool probed)
{
	return probed ? func->batch && !func->is_gone : is_hit || func->error;
}

/*
 * args[1]: the function to show next; args[2]: the figures; args[3]: messages without one;
 * args[4]: show those that are probed
 */
int kt_stats_dump_funcs(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct kt_session *session = (struct kt_session *)cb->args[0];
	const struct kt_figures *figures = (const struct kt_figures *)cb->args[2];
	struct func_figures *f;
	int error = 0;
	u32 func;

	if (!cb->args[3])
		return kt_genl_put_filler(skb, cb, KTRACE_CMD_FUNC_GET, &cb->args[3]);
	f = kmalloc(sizeof(*f), GFP_KERNEL);
	if (!f)
		return -ENOMEM;
	for (func = cb->args[1]; func < session->config.nr_funcs; func++) {
		/* There may be millions, and few of them hit. */
		cond_resched();
		if (!stats_dump_is_to_show(&session->hot.funcs[func],
					   stats_dump_is_hit(figures, func), cb->args[4]))
			continue;
		stats_dump_gather(figures, func, f);
		if (f->stats.entries > f->stats.calls)
			f->stats.since = READ_ONCE(session->hot.funcs[func].since);
		error = stats_dump_put_func(skb, cb, func, f);
		if (error)
			break;
	}
	cb->args[1] = func;
	kfree(f);
	if (error && !skb->len)
		return kt_genl_put_filler(skb, cb, KTRACE_CMD_FUNC_GET, &cb->args[3]);
	return skb->len;
}

static int stats_dump_put_nodes(struct sk_buff *skb, struct netlink_callback *cb,
				const struct kt_tree *tree, u32 *pos)
{
	void *head = kt_genl_begin(skb, cb, KTRACE_CMD_TREE_GET);
	struct ktrace_node node;
	struct nlattr *attr;
	u32 nr;

	if (!head)
		return -EMSGSIZE;
	attr = nla_nest_start(skb, KTRACE_A_NODES);
	for (nr = 0; attr && nr < NODES_A_MESSAGE && kt_tree_next(tree, pos, &node); nr++) {
		if (skb_tailroom(skb) < (int)sizeof(node))
			break;
		memcpy(skb_put(skb, sizeof(node)), &node, sizeof(node));
		++*pos;
	}
	if (!nr) {
		genlmsg_cancel(skb, head);
		return attr && !kt_tree_next(tree, pos, &node) ? 0 : -EMSGSIZE;
	}
	attr->nla_type = KTRACE_A_NODES;
	attr->nla_len = nla_attr_size(nr * sizeof(node));
	genlmsg_end(skb, head);
	return nr;
}

/* args[1]: the slot to show next; args[2]: the figures */
int kt_stats_dump_tree(struct sk_buff *skb, struct netlink_callback *cb)
{
	const struct kt_figures *figures = (const struct kt_figures *)cb->args[2];
	u32 pos = cb->args[1];
	int nr = 0;

	if (!figures->tree)
		return 0;
	do {
		nr = stats_dump_put_nodes(skb, cb, figures->tree, &pos);
	} while (nr > 0);
	cb->args[1] = pos;
	return skb->len ? skb->len : nr;
}
