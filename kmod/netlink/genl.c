// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: checks what comes in, and answers. The manual is
 * the head comment of include/uapi/ktrace.h.
 */
#include <linux/capability.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/stringify.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>
#include <uapi/ktrace_record.h>

#include "compat/fprobe.h"
#include "compat/genl.h"
#include "core/costs.h"
#include "core/figures.h"
#include "core/filter.h"
#include "core/ring.h"
#include "core/shadow.h"
#include "lib/mem.h"
#include "netlink/attrs.h"
#include "netlink/commands.h"
#include "netlink/func_dump.h"
#include "netlink/genl.h"
#include "netlink/lockdown.h"
#include "netlink/notices.h"
#include "netlink/stacks_dump.h"
#include "netlink/stream_dump.h"
#include "netlink/subscriber.h"
#include "netlink/table_dump.h"
#include "netlink/tree_dump.h"
#include "provider.h"
#include "session.h"
#include "session/sessions.h"
#include "version.h"

static struct genl_family family;

static const struct nla_policy policy[KTRACE_A_MAX + 1] = {
	[KTRACE_A_COSTS] = { .type = NLA_BINARY, .len = sizeof(struct ktrace_costs) },
	[KTRACE_A_NAME] = { .type = NLA_NUL_STRING, .len = KTRACE_NAME_LEN - 1 },
	[KTRACE_A_SESSION] = { .type = NLA_U64 },
	[KTRACE_A_PROVIDER] = { .type = NLA_U32 },
	[KTRACE_A_SINKS] = { .type = NLA_U32 },
	[KTRACE_A_FLAGS] = { .type = NLA_U32 },
	[KTRACE_A_TARGET] = { .type = NLA_NESTED },
	[KTRACE_A_WHO] = { .type = NLA_NESTED },
	[KTRACE_A_LIMIT] = { .type = NLA_NESTED },
	[KTRACE_A_TABLE] = { .type = NLA_BINARY, .len = sizeof(struct ktrace_table) },
	[KTRACE_A_FD] = { .type = NLA_U32 },
	[KTRACE_A_CALLER_FD] = { .type = NLA_U32 },
	[KTRACE_A_BUILD_ID] = { .type = NLA_BINARY, .len = KTRACE_BUILD_ID_LEN },
	[KTRACE_A_FUNCS] = { .type = NLA_BINARY, .len = 60000 },
	[KTRACE_A_SYMBOLS] = { .type = NLA_BINARY, .len = 60000 },
	[KTRACE_A_FUNC_LIST] = { .type = NLA_BINARY, .len = 60000 },
	[KTRACE_A_CPU] = { .type = NLA_U32 },
	[KTRACE_A_CURSOR] = { .type = NLA_U64 },
	[KTRACE_A_PID] = { .type = NLA_U32 },
};

/* Older kernels skip attributes that they do not know, and every kernel takes the last of two. */
static int genl_check_numbers(const struct nlmsghdr *nlh, struct netlink_ext_ack *extack)
{
	const struct nlattr *attr;
	u64 seen = 0;
	int rem;

	nlmsg_for_each_attr(attr, nlh, GENL_HDRLEN, rem) {
		if (nla_type(attr) > KTRACE_A_MAX)
			return kt_refuse(extack, -EINVAL, "An attribute is not known.");
		if (seen >> nla_type(attr) & 1)
			return kt_refuse(extack, -EINVAL, "An attribute is there twice.");
		seen |= 1ULL << nla_type(attr);
	}
	return 0;
}

#define OTHER_INTERFACE "The message is not of interface " __stringify(KTRACE_ABI) \
	", which this module has; use the ktrace command that the module came with."

/* Both sides can see which interface they have, and any command can end sessions. */
static bool genl_is_in_every_interface(u8 cmd)
{
	return cmd == KTRACE_CMD_INFO || cmd == KTRACE_CMD_SESSION_GET ||
	       cmd == KTRACE_CMD_SESSION_DEL;
}

/* EPERM: this sender may not trace. EACCES: the kernel is locked down. */
static int genl_check_sender(const struct sk_buff *skb, struct netlink_ext_ack *extack)
{
	const struct genlmsghdr *head = nlmsg_data(nlmsg_hdr(skb));

	if (!netlink_capable(skb, CAP_SYS_ADMIN))
		return -EPERM;
	if (head->version != KTRACE_GENL_VERSION && !genl_is_in_every_interface(head->cmd))
		return kt_refuse(extack, -EPROTONOSUPPORT, OTHER_INTERFACE);
	return kt_lockdown_refuses(head->cmd) ? -EACCES : 0;
}

int kt_genl_check(const struct sk_buff *skb, struct nlattr **attrs, u64 allowed, u64 needed,
		  struct netlink_ext_ack *extack)
{
	int i, error = genl_check_sender(skb, extack);

	BUILD_BUG_ON(BITS_PER_BYTE * sizeof(allowed) <= KTRACE_A_MAX);
	if (!error)
		error = genl_check_numbers(nlmsg_hdr(skb), extack);
	if (error)
		return error;
	for (i = 1; i <= KTRACE_A_MAX; i++) {
		if (attrs && attrs[i] && !(allowed >> i & 1))
			return kt_refuse(extack, -EINVAL,
					 "The command does not take one of these attributes.");
		if (!(attrs && attrs[i]) && (needed >> i & 1))
			return kt_refuse(extack, -EINVAL, "The command lacks an attribute.");
	}
	return kt_filter_own_current();
}

/* The attributes of a dump's request, which not every kernel has parsed: numbers all. */
static int genl_parse_dump(struct netlink_callback *cb, struct nlattr **attrs)
{
	struct nlattr *attr;
	int rem, len, error = genl_check_sender(cb->skb, kt_dump_extack(cb));

	if (error)
		return error;
	memset(attrs, 0, (KTRACE_A_MAX + 1) * sizeof(*attrs));
	nlmsg_for_each_attr(attr, cb->nlh, GENL_HDRLEN, rem) {
		if (nla_type(attr) > KTRACE_A_MAX)
			return -EINVAL;
		len = policy[nla_type(attr)].type == NLA_U64 ? sizeof(u64) : sizeof(u32);
		if (nla_len(attr) != len)
			return -EINVAL;
		attrs[nla_type(attr)] = attr;
	}
	return 0;
}

struct sk_buff *kt_genl_reply(struct genl_info *info, u8 cmd, void **head)
{
	struct sk_buff *skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);

	if (!skb)
		return NULL;
	*head = genlmsg_put_reply(skb, info, &family, 0, cmd);
	if (*head)
		return skb;
	nlmsg_free(skb);
	return NULL;
}

int kt_genl_send(struct genl_info *info, struct sk_buff *skb, void *head, int error)
{
	if (error) {
		nlmsg_free(skb);
		return error;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, info);
}

void *kt_genl_begin(struct sk_buff *skb, const struct netlink_callback *cb, u8 cmd)
{
	return genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq, &family,
			   NLM_F_MULTI, cmd);
}

int kt_genl_put_filler(struct sk_buff *skb, struct netlink_callback *cb, u8 cmd, long *nr)
{
	const struct kt_session *session = (const struct kt_session *)cb->args[0];
	void *head = kt_genl_begin(skb, cb, cmd);

	cb->min_dump_alloc = KT_MIN_DUMP_ALLOC;
	if (++*nr > KT_MAX_FILLERS || !head ||
	    nla_put_u64_64bit(skb, KTRACE_A_SESSION, session->id, KTRACE_A_PAD))
		return -ENOBUFS;
	genlmsg_end(skb, head);
	return skb->len;
}

u64 kt_genl_socket_of(const struct net *net, u32 portid)
{
	return (u64)kt_net_id(net) << 32 | portid;
}

u64 kt_genl_socket(const struct genl_info *info)
{
	return kt_genl_socket_of(genl_info_net((struct genl_info *)info), info->snd_portid);
}

static struct kt_session *genl_find(struct nlattr **attrs)
{
	const char *name;

	if (attrs[KTRACE_A_NAME]) {
		name = nla_data(attrs[KTRACE_A_NAME]);
		return *name ? kt_session_find(0, name) : NULL;
	}
	return kt_session_find(nla_get_u64(attrs[KTRACE_A_SESSION]), NULL);
}

int kt_genl_get(struct sk_buff *skb, struct genl_info *info, u64 allowed, u64 needed,
		struct kt_session **session)
{
	u64 keys = MASK(SESSION) | (needed ? 0 : MASK(NAME));
	int error = kt_genl_check(skb, info->attrs, keys | allowed | needed, needed,
				  kt_info_extack(info));

	if (error)
		return error;
	if (!info->attrs[KTRACE_A_SESSION] == !info->attrs[KTRACE_A_NAME])
		return kt_refuse(kt_info_extack(info), -EINVAL,
				 "The command needs one of SESSION and NAME.");
	*session = genl_find(info->attrs);
	return *session ? 0 : -ENOENT;
}

#define FEATURES (KTRACE_FEATURE_UPROBE | KTRACE_FEATURE_SYSCALLS | KTRACE_FEATURE_KERNEL | \
		  KTRACE_FEATURE_SCHED | KTRACE_FEATURE_BLOCK | \
		  KTRACE_FEATURE_VIRTIO | \
		  (KT_HAS_FPROBE ? KTRACE_FEATURE_FPROBE : 0))

/* --- INFO --------------------------------------------------------------- */

static int genl_put_info(struct sk_buff *skb)
{
	struct ktrace_limits limits = {
		.max_mem = kt_mem_max(),
		.nr_cpus = nr_cpu_ids,
		.subbuf_len = KTRACE_PACKET_LEN,
		.max_depth = KT_MAX_FRAMES,
		.max_sessions = kt_max_sessions,
		.max_sites = kt_session_max_sites(),
	};
	struct ktrace_costs costs;

	kt_costs_get(&costs);
	if (nla_put_string(skb, KTRACE_A_VERSION, KTRACE_VERSION) ||
	    nla_put_u32(skb, KTRACE_A_ABI, KTRACE_ABI) ||
	    nla_put_u64_64bit(skb, KTRACE_A_FEATURES, FEATURES, KTRACE_A_PAD) ||
	    nla_put(skb, KTRACE_A_LIMITS, sizeof(limits), &limits) ||
	    nla_put_u64_64bit(skb, KTRACE_A_MEM, kt_mem_used(), KTRACE_A_PAD) ||
	    nla_put_u32(skb, KTRACE_A_FLAGS, kt_lockdown_is_on() ? KTRACE_INFO_LOCKED : 0) ||
	    (costs.entry && nla_put(skb, KTRACE_A_COSTS, sizeof(costs), &costs)))
		return -EMSGSIZE;
	return 0;
}

static int genl_cmd_info(struct sk_buff *request, struct genl_info *info)
{
	int error = kt_genl_check(request, info->attrs, 0, 0, kt_info_extack(info));
	struct sk_buff *skb;
	void *head;

	if (error)
		return error;
	skb = kt_genl_reply(info, KTRACE_CMD_INFO, &head);
	return skb ? kt_genl_send(info, skb, head, genl_put_info(skb)) : -ENOMEM;
}

/* --- SESSION_GET -------------------------------------------------------- */

static int genl_put_pids(struct sk_buff *skb, const struct kt_session *session)
{
	s32 pids[KTRACE_GET_PIDS];
	u32 nr;

	if (!session->procs.is_selective)
		return 0;
	nr = kt_procs_list(&session->procs, pids, KTRACE_GET_PIDS);
	return nla_put(skb, KTRACE_WHO_PIDS, nr * sizeof(*pids), pids);
}

static int genl_put_target(struct sk_buff *skb, const struct kt_session *session)
{
	struct nlattr *nest = nla_nest_start(skb, KTRACE_A_TARGET | NLA_F_NESTED);

	if (!nest || nla_put_u32(skb, KTRACE_TARGET_NR_FUNCS, session->config.nr_funcs))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int genl_put_who(struct sk_buff *skb, const struct kt_session *session)
{
	const struct kt_session_config *config = &session->config;
	struct nlattr *nest = nla_nest_start(skb, KTRACE_A_WHO | NLA_F_NESTED);

	if (!nest || (config->does_follow && nla_put_flag(skb, KTRACE_WHO_FOLLOW)) ||
	    (config->is_on_exec && nla_put_flag(skb, KTRACE_WHO_ON_EXEC)) ||
	    genl_put_pids(skb, session))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int genl_put_limit(struct sk_buff *skb, const struct kt_session *session, u64 left)
{
	struct nlattr *nest = nla_nest_start(skb, KTRACE_A_LIMIT | NLA_F_NESTED);
	u64 min_time = READ_ONCE(session->hot.min_time);
	u32 budget = session->config.budget;

	if (!nest || (budget && nla_put_u32(skb, KTRACE_LIMIT_BUDGET, budget)) ||
	    (min_time && nla_put(skb, KTRACE_LIMIT_MIN_TIME, sizeof(min_time), &min_time)) ||
	    (left != U64_MAX && nla_put(skb, KTRACE_LIMIT_LIFETIME, sizeof(left), &left)))
		return -EMSGSIZE;
	nla_nest_end(skb, nest);
	return 0;
}

static int genl_put_config(struct sk_buff *skb, const struct kt_session *session, u64 left)
{
	const struct kt_session_config *config = &session->config;

	if (nla_put_string(skb, KTRACE_A_NAME, config->name) ||
	    nla_put_u32(skb, KTRACE_A_PROVIDER, config->provider->number) ||
	    nla_put_u32(skb, KTRACE_A_SINKS, config->sinks) ||
	    nla_put_u32(skb, KTRACE_A_FLAGS, config->flags) || genl_put_target(skb, session) ||
	    genl_put_who(skb, session) || genl_put_limit(skb, session, left))
		return -EMSGSIZE;
	return 0;
}

static int genl_put_session(struct sk_buff *skb, struct kt_session *session)
{
	struct kt_session_status status;

	kt_session_get_status(session, &status);
	if (nla_put_u64_64bit(skb, KTRACE_A_SESSION, session->id, KTRACE_A_PAD) ||
	    nla_put_u64_64bit(skb, KTRACE_A_COOKIE, session->cookie, KTRACE_A_PAD) ||
	    genl_put_config(skb, session, status.left) ||
	    nla_put_u32(skb, KTRACE_A_STATE, status.state) ||
	    nla_put_s32(skb, KTRACE_A_ERROR, status.error) ||
	    nla_put_u32(skb, KTRACE_A_NR_USED, session->nr_used) ||
	    nla_put_u32(skb, KTRACE_A_NR_SITES, session->nr_sites) ||
	    nla_put_u32(skb, KTRACE_A_NR_FAILED, session->nr_failed) ||
	    nla_put_s32(skb, KTRACE_A_OWNER, session->config.owner) ||
	    nla_put_s32(skb, KTRACE_A_READER, status.reader) ||
	    nla_put(skb, KTRACE_A_CLOCKS, sizeof(status.clocks), status.clocks) ||
	    nla_put(skb, KTRACE_A_COUNTERS, sizeof(status.counters), &status.counters) ||
	    nla_put_u64_64bit(skb, KTRACE_A_MEM, kt_mem_used(), KTRACE_A_PAD))
		return -EMSGSIZE;
	return 0;
}

static int genl_cmd_get(struct sk_buff *request, struct genl_info *info)
{
	struct kt_session *session;
	struct sk_buff *skb;
	void *head;
	int error = kt_genl_get(request, info, 0, 0, &session);

	if (error)
		return error;
	skb = kt_genl_reply(info, KTRACE_CMD_SESSION_GET, &head);
	error = -ENOMEM;
	if (skb)
		error = kt_genl_send(info, skb, head, genl_put_session(skb, session));
	kt_session_put(session);
	return error;
}

/* args[0]: the id last shown */
static int genl_dump_sessions(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	struct kt_session *session;
	void *head;
	int error;

	if (!cb->args[0]) {
		error = genl_parse_dump(cb, attrs);
		if (!error)
			error = kt_genl_check(cb->skb, attrs, 0, 0, kt_dump_extack(cb));
		if (error)
			return error;
	}
	while ((session = kt_session_next(cb->args[0]))) {
		head = kt_genl_begin(skb, cb, KTRACE_CMD_SESSION_GET);
		error = head ? genl_put_session(skb, session) : -EMSGSIZE;
		kt_session_put(session);
		if (error) {
			if (head)
				genlmsg_cancel(skb, head);
			break;
		}
		genlmsg_end(skb, head);
		cb->args[0] = session->id;
	}
	return skb->len ? skb->len : session ? -EMSGSIZE : 0;
}

/* --- data dumps: args[0] is the session, args[2] its figures, referenced --- */

static int genl_begin_dump(struct netlink_callback *cb, struct nlattr **attrs, u64 allowed,
			   u64 needed)
{
	struct kt_session *session;
	int error;

	if (cb->args[0])
		return 0;
	error = genl_parse_dump(cb, attrs);
	if (!error)
		error = kt_genl_check(cb->skb, attrs, allowed, needed, kt_dump_extack(cb));
	if (error)
		return error;
	session = genl_find(attrs);
	if (!session)
		return -ENOENT;
	cb->args[0] = (long)session;
	return 0;
}

static int genl_end_dump(struct netlink_callback *cb)
{
	if (cb->args[0])
		kt_session_put((struct kt_session *)cb->args[0]);
	cb->args[0] = 0;
	return 0;
}

/* A reset does not change what a dump under way shows. allowed: flags, beside READ_BEFORE. */
static int genl_begin_figures(struct netlink_callback *cb, u32 allowed)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	int error = genl_begin_dump(cb, attrs, MASK(SESSION) | MASK(FLAGS), MASK(SESSION));
	u32 flags;

	if (error || cb->args[2])
		return error;
	flags = kt_attrs_u32(attrs[KTRACE_A_FLAGS], 0);
	if (flags & ~(KTRACE_READ_BEFORE | allowed))
		return -EINVAL;
	cb->args[4] = flags & allowed;
	cb->args[2] = (long)kt_session_figures((struct kt_session *)cb->args[0],
					       flags & KTRACE_READ_BEFORE);
	return cb->args[2] ? 0 : -ENODATA;
}

static int genl_end_figures(struct netlink_callback *cb)
{
	kt_figures_put((struct kt_figures *)cb->args[2]);
	cb->args[2] = 0;
	return genl_end_dump(cb);
}

static int genl_dump_funcs(struct sk_buff *skb, struct netlink_callback *cb)
{
	int error = genl_begin_figures(cb, KTRACE_READ_PROBED);

	return error ? error : kt_func_dump(skb, cb);
}

static int genl_dump_tree(struct sk_buff *skb, struct netlink_callback *cb)
{
	int error = genl_begin_figures(cb, 0);

	return error ? error : kt_tree_dump(skb, cb);
}

static int genl_dump_tables(struct sk_buff *skb, struct netlink_callback *cb)
{
	int error = genl_begin_figures(cb, KTRACE_READ_CPUS);

	return error ? error : kt_table_dump(skb, cb);
}

static int genl_dump_stream(struct sk_buff *skb, struct netlink_callback *cb)
{
	u64 needed = MASK(SESSION) | MASK(CPU) | MASK(CURSOR);
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	int error = genl_begin_dump(cb, attrs, needed | MASK(FLAGS), needed);

	return error ? error : kt_stream_dump(skb, cb, attrs);
}

static int genl_dump_stacks(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	int error = genl_begin_dump(cb, attrs, MASK(SESSION) | MASK(CURSOR), MASK(SESSION));

	return error ? error : kt_stacks_dump(skb, cb, attrs);
}

/* --- sockets ------------------------------------------------------------ */

static int genl_cmd_subscribe(struct sk_buff *request, struct genl_info *info)
{
	int error = kt_genl_check(request, info->attrs, 0, 0, kt_info_extack(info));

	return error ? error : kt_subscriber_add(genl_info_net(info), info->snd_portid);
}

static int genl_on_release(struct notifier_block *block, unsigned long event, void *data)
{
	struct netlink_notify *notify = data;

	if (event == NETLINK_URELEASE && notify->protocol == NETLINK_GENERIC) {
		kt_subscriber_remove(notify->net, notify->portid);
		kt_session_close_socket(kt_genl_socket_of(notify->net, notify->portid));
	}
	return NOTIFY_DONE;
}

static struct notifier_block release_block = { .notifier_call = genl_on_release };

/* --- the family --------------------------------------------------------- */

#define OP(name, ...) { KT_OP_POLICY(policy) .cmd = KTRACE_CMD_##name, __VA_ARGS__ }

static const struct genl_ops ops[] = {
	OP(INFO, .doit = genl_cmd_info),
	OP(SESSION_NEW, .doit = kt_cmd_new),
	OP(FUNC_ADD, .doit = kt_cmd_func_add),
	OP(SESSION_COMMIT, .doit = kt_cmd_commit),
	OP(SESSION_GET, .doit = genl_cmd_get, .dumpit = genl_dump_sessions),
	OP(SESSION_DEL, .doit = kt_cmd_delete),
	OP(SESSION_STOP, .doit = kt_cmd_stop),
	OP(SESSION_RESET, .doit = kt_cmd_reset),
	OP(COSTS_SET, .doit = kt_cmd_costs),
	OP(FUNC_GET, .dumpit = genl_dump_funcs, .done = genl_end_figures),
	OP(TREE_GET, .dumpit = genl_dump_tree, .done = genl_end_figures),
	OP(TABLE_GET, .dumpit = genl_dump_tables, .done = genl_end_figures),
	OP(STREAM_READ, .dumpit = genl_dump_stream, .done = genl_end_dump),
	OP(SUBSCRIBE, .doit = genl_cmd_subscribe),
	OP(FUNC_DEL, .doit = kt_cmd_func_del),
	OP(SESSION_CHANGE, .doit = kt_cmd_change),
	OP(SESSION_PAUSE, .doit = kt_cmd_pause),
	OP(SESSION_RESUME, .doit = kt_cmd_resume),
	OP(SESSION_WATCH, .doit = kt_cmd_watch),
	OP(TASK_CONTINUE, .doit = kt_cmd_continue),
	OP(STACK_GET, .dumpit = genl_dump_stacks, .done = genl_end_dump),
};

static struct genl_family family = {
	.name = KTRACE_GENL_NAME,
	.version = KTRACE_GENL_VERSION,
	.maxattr = KTRACE_A_MAX,
	KT_FAMILY_POLICY(policy)
	.netnsok = true,
	.parallel_ops = true,
	.module = THIS_MODULE,
	.ops = ops,
	.n_ops = ARRAY_SIZE(ops),
	KT_RESV_START_OP(KTRACE_CMD_MAX + 1)
};

int kt_genl_init(void)
{
	int error = netlink_register_notifier(&release_block);

	if (error)
		return error;
	kt_notices_init(&family);
	error = genl_register_family(&family);
	if (error) {
		kt_notices_exit();
		netlink_unregister_notifier(&release_block);
	}
	return error;
}

void kt_genl_exit(void)
{
	genl_unregister_family(&family);
	netlink_unregister_notifier(&release_block);
	kt_notices_exit();
}
