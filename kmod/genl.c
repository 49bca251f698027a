// SPDX-License-Identifier: GPL-2.0
/*
 * The generic netlink family: checks what comes in, and answers. The manual is
 * the head comment of include/uapi/ktrace.h.
 */
#include <linux/capability.h>
#include <linux/ctype.h>
#include <linux/file.h>
#include <linux/module.h>
#include <linux/netlink.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>
#include <uapi/ktrace_record.h>

#include "compat.h"
#include "figures.h"
#include "filter.h"
#include "genl.h"
#include "mem.h"
#include "ring.h"
#include "session.h"
#include "shadow.h"
#include "site.h"
#include "stats_dump.h"
#include "stream_dump.h"
#include "subscriber.h"
#include "version.h"

static struct genl_family family;

static const struct nla_policy policy[KTRACE_A_MAX + 1] = {
	[KTRACE_A_NAME] = { .type = NLA_NUL_STRING, .len = KTRACE_NAME_LEN - 1 },
	[KTRACE_A_SESSION] = { .type = NLA_U64 },
	[KTRACE_A_FLAGS] = { .type = NLA_U32 },
	[KTRACE_A_NR_FUNCS] = { .type = NLA_U32 },
	[KTRACE_A_FD] = { .type = NLA_U32 },
	[KTRACE_A_PIDS] = { .type = NLA_BINARY, .len = KTRACE_MAX_PIDS * sizeof(s32) },
	[KTRACE_A_MIN_TIME] = { .type = NLA_U64 },
	[KTRACE_A_MAX_DEPTH] = { .type = NLA_U32 },
	[KTRACE_A_MAX_NODES] = { .type = NLA_U32 },
	[KTRACE_A_NR_SUBBUFS] = { .type = NLA_U32 },
	[KTRACE_A_FUNCS] = { .type = NLA_BINARY, .len = 60000 },
	[KTRACE_A_BUILD_ID] = { .type = NLA_BINARY, .len = KTRACE_BUILD_ID_LEN },
	[KTRACE_A_CPU] = { .type = NLA_U32 },
	[KTRACE_A_CURSOR] = { .type = NLA_U64 },
};

#define MASK(a) (1ULL << KTRACE_A_##a)

/* Older kernels pass over attributes that they do not know. */
static bool has_unknown(const struct nlmsghdr *nlh)
{
	const struct nlattr *attr;
	int rem;

	nlmsg_for_each_attr(attr, nlh, GENL_HDRLEN, rem)
		if (nla_type(attr) > KTRACE_A_MAX)
			return true;
	return false;
}

/* Who may, and with which attributes; every command begins with it. */
static int check(const struct sk_buff *skb, struct nlattr **attrs, u64 allowed, u64 needed)
{
	int i;

	if (!netlink_capable(skb, CAP_SYS_ADMIN))
		return -EPERM;
	if (has_unknown(nlmsg_hdr(skb)))
		return -EINVAL;
	for (i = 1; i <= KTRACE_A_MAX; i++) {
		if (attrs && attrs[i] && !(allowed >> i & 1))
			return -EINVAL;
		if (!(attrs && attrs[i]) && (needed >> i & 1))
			return -EINVAL;
	}
	return kt_filter_own_current();
}

/* The attributes of a dump's request, which not every kernel has parsed: numbers all. */
static int parse_dump(struct netlink_callback *cb, struct nlattr **attrs)
{
	struct nlattr *attr;
	int rem, len;

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

static struct sk_buff *new_reply(struct genl_info *info, u8 cmd, void **head)
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

static int send_reply(struct genl_info *info, struct sk_buff *skb, void *head, int error)
{
	if (error) {
		nlmsg_free(skb);
		return error;
	}
	genlmsg_end(skb, head);
	return genlmsg_reply(skb, info);
}

static struct kt_session *find(struct nlattr **attrs)
{
	const char *name;

	if (attrs[KTRACE_A_NAME]) {
		name = nla_data(attrs[KTRACE_A_NAME]);
		return *name ? kt_session_find(0, name) : NULL;
	}
	return kt_session_find(nla_get_u64(attrs[KTRACE_A_SESSION]), NULL);
}

/* --- INFO --------------------------------------------------------------- */

static int put_info(struct sk_buff *skb)
{
	struct ktrace_limits limits = {
		.max_mem = kt_mem_max(),
		.nr_cpus = nr_cpu_ids,
		.subbuf_len = KTRACE_PACKET_LEN,
		.max_depth = KT_MAX_FRAMES,
	};

	if (nla_put_string(skb, KTRACE_A_VERSION, KTRACE_VERSION) ||
	    nla_put_u32(skb, KTRACE_A_ABI, KTRACE_ABI) ||
	    nla_put_u64_64bit(skb, KTRACE_A_FEATURES, KTRACE_FEATURE_UPROBE, KTRACE_A_PAD) ||
	    nla_put(skb, KTRACE_A_LIMITS, sizeof(limits), &limits) ||
	    nla_put_u64_64bit(skb, KTRACE_A_MEM, kt_mem_used(), KTRACE_A_PAD))
		return -EMSGSIZE;
	return 0;
}

static int cmd_info(struct sk_buff *request, struct genl_info *info)
{
	int error = check(request, info->attrs, 0, 0);
	struct sk_buff *skb;
	void *head;

	if (error)
		return error;
	skb = new_reply(info, KTRACE_CMD_INFO, &head);
	return skb ? send_reply(info, skb, head, put_info(skb)) : -ENOMEM;
}

/* --- SESSION_NEW -------------------------------------------------------- */

static u32 get_u32(struct nlattr *attr, u32 fallback)
{
	return attr ? nla_get_u32(attr) : fallback;
}

static int open_file(struct nlattr *attr, struct file **file)
{
	*file = fget(nla_get_u32(attr));
	if (!*file)
		return -EBADF;
	if (((*file)->f_mode & FMODE_READ) && S_ISREG(kt_file_inode(*file)->i_mode))
		return 0;
	fput(*file);
	*file = NULL;
	return -EINVAL;
}

static bool is_name_good(const char *name)
{
	for (; *name; name++)
		if (!isalnum(*name) && !strchr("._-", *name))
			return false;
	return true;
}

static int get_tgid(s32 nr, struct pid **tgid)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	if (!task)
		return -ESRCH;
	rcu_read_lock();
	*tgid = get_pid(task_tgid(task));
	rcu_read_unlock();
	put_task_struct(task);
	return *tgid ? 0 : -ESRCH;
}

static int get_pids(struct nlattr *attr, struct kt_session_config *config)
{
	u32 nr = attr ? nla_len(attr) / sizeof(s32) : 0;
	const s32 *pids;
	int error;

	if (!attr)
		return 0;
	if (!nr || nla_len(attr) % sizeof(s32))
		return -EINVAL;
	config->pids = kcalloc(nr, sizeof(*config->pids), GFP_KERNEL);
	if (!config->pids)
		return -ENOMEM;
	pids = nla_data(attr);
	for (; config->nr_pids < nr; config->nr_pids++) {
		error = get_tgid(pids[config->nr_pids], &config->pids[config->nr_pids]);
		if (error)
			return error;
	}
	return 0;
}

static int get_numbers(struct genl_info *info, struct kt_session_config *config)
{
	struct nlattr **a = info->attrs;

	config->flags = nla_get_u32(a[KTRACE_A_FLAGS]);
	config->nr_funcs = nla_get_u32(a[KTRACE_A_NR_FUNCS]);
	config->min_time = a[KTRACE_A_MIN_TIME] ? nla_get_u64(a[KTRACE_A_MIN_TIME]) : 0;
	config->max_depth = min_t(u32, get_u32(a[KTRACE_A_MAX_DEPTH], KT_MAX_FRAMES),
				  KT_MAX_FRAMES);
	config->max_nodes = get_u32(a[KTRACE_A_MAX_NODES], 65536);
	config->nr_subbufs = get_u32(a[KTRACE_A_NR_SUBBUFS], 64);
	config->net = genl_info_net(info);
	config->portid = info->snd_portid;
	config->owner = task_tgid_nr(current);
	if ((config->flags & KTRACE_F_COUNT) && (config->flags != KTRACE_F_COUNT ||
						 config->min_time || a[KTRACE_A_MAX_DEPTH]))
		return -EINVAL;
	if ((config->flags & ~KTRACE_F_ALL) || !config->max_depth || !config->max_nodes ||
	    !is_power_of_2(config->nr_subbufs) || config->nr_subbufs < KT_RING_MIN_SUBBUFS)
		return -EINVAL;
	if (config->nr_funcs > 1U << 22 || config->max_nodes > 1U << 24 ||
	    config->nr_subbufs > KT_RING_MAX_SUBBUFS)
		return -E2BIG;
	return 0;
}

static int get_config(struct genl_info *info, struct kt_session_config *config)
{
	struct nlattr **a = info->attrs;
	int error = get_numbers(info, config);

	if (error)
		return error;
	if (a[KTRACE_A_NAME]) {
		strscpy(config->name, nla_data(a[KTRACE_A_NAME]), sizeof(config->name));
		if (!config->name[0] || !is_name_good(config->name))
			return -EINVAL;
	}
	error = get_pids(a[KTRACE_A_PIDS], config);
	return error ? error : open_file(a[KTRACE_A_FD], &config->file);
}

static void drop_config(struct kt_session_config *config)
{
	u32 i;

	for (i = 0; i < config->nr_pids; i++)
		put_pid(config->pids[i]);
	kfree(config->pids);
	if (config->file)
		fput(config->file);
}

static int reply_new(struct genl_info *info, const struct kt_session *session)
{
	struct sk_buff *skb;
	void *head;
	int error;

	skb = new_reply(info, KTRACE_CMD_SESSION_NEW, &head);
	if (!skb)
		return -ENOMEM;
	error = nla_put_u64_64bit(skb, KTRACE_A_SESSION, session->id, KTRACE_A_PAD);
	if (!error)
		error = nla_put_u64_64bit(skb, KTRACE_A_COOKIE, session->cookie, KTRACE_A_PAD);
	return send_reply(info, skb, head, error);
}

static int cmd_new(struct sk_buff *request, struct genl_info *info)
{
	struct kt_session_config config = { .flags = 0 };
	struct kt_session *session;
	int error;

	error = check(request, info->attrs,
		      MASK(NAME) | MASK(FLAGS) | MASK(NR_FUNCS) | MASK(FD) | MASK(PIDS) |
		      MASK(MIN_TIME) | MASK(MAX_DEPTH) | MASK(MAX_NODES) | MASK(NR_SUBBUFS),
		      MASK(FLAGS) | MASK(NR_FUNCS) | MASK(FD));
	if (error)
		return error;
	error = get_config(info, &config);
	if (error)
		goto drop;
	session = kt_session_create(&config);
	error = PTR_ERR_OR_ZERO(session);
	if (error)
		goto drop;
	error = reply_new(info, session);
	if (error)
		kt_session_delete(session);
	kt_session_put(session);
	return error;
drop:
	drop_config(&config);
	return error;
}

/* --- FUNC_ADD, COMMIT, DEL, STOP, RESET --------------------------------- */

static int stage(struct kt_session *session, struct kt_batch *batch)
{
	int error = -EBUSY;

	mutex_lock(&kt_control);
	if (session->state == KTRACE_STATE_NEW) {
		list_add_tail(&batch->node, &session->batches);
		error = 0;
	}
	mutex_unlock(&kt_control);
	return error;
}

static int add_funcs(struct kt_session *session, struct nlattr **attrs)
{
	struct nlattr *funcs = attrs[KTRACE_A_FUNCS];
	struct kt_batch *batch;
	struct file *file;
	int error;

	error = kt_batch_check(&session->config, nla_data(funcs), nla_len(funcs));
	if (error)
		return error;
	error = open_file(attrs[KTRACE_A_FD], &file);
	if (error)
		return error;
	batch = kt_batch_create(file, nla_data(funcs), nla_len(funcs));
	fput(file);
	if (!batch)
		return -ENOMEM;
	if (attrs[KTRACE_A_BUILD_ID]) {
		batch->build_id_len = nla_len(attrs[KTRACE_A_BUILD_ID]);
		memcpy(batch->build_id, nla_data(attrs[KTRACE_A_BUILD_ID]), batch->build_id_len);
	}
	error = stage(session, batch);
	if (error)
		kt_batch_put(batch);
	return error;
}

static int cmd_add(struct sk_buff *request, struct genl_info *info)
{
	u64 attrs = MASK(SESSION) | MASK(FD) | MASK(FUNCS);
	int error = check(request, info->attrs, attrs | MASK(BUILD_ID), attrs);
	struct kt_session *session;

	if (error)
		return error;
	session = find(info->attrs);
	if (!session)
		return -ENOENT;
	error = add_funcs(session, info->attrs);
	kt_session_put(session);
	return error;
}

/* A command that names a session, and allows for further attributes. */
static int on_session(struct sk_buff *request, struct genl_info *info, u64 allowed,
		      int (*fn)(struct kt_session *session))
{
	int error = check(request, info->attrs, MASK(SESSION) | MASK(NAME) | allowed, 0);
	struct kt_session *session;

	if (error)
		return error;
	if (!info->attrs[KTRACE_A_SESSION] == !info->attrs[KTRACE_A_NAME])
		return -EINVAL;
	session = find(info->attrs);
	if (!session)
		return -ENOENT;
	error = fn(session);
	kt_session_put(session);
	return error;
}

static int cmd_commit(struct sk_buff *request, struct genl_info *info)
{
	return on_session(request, info, 0, kt_session_commit);
}

static int cmd_delete(struct sk_buff *request, struct genl_info *info)
{
	return on_session(request, info, 0, kt_session_delete);
}

static int cmd_stop(struct sk_buff *request, struct genl_info *info)
{
	return on_session(request, info, 0, kt_session_stop);
}

static int cmd_reset(struct sk_buff *request, struct genl_info *info)
{
	u32 flags = get_u32(info->attrs[KTRACE_A_FLAGS], 0);

	if (flags & ~KTRACE_RESET_DONE)
		return -EINVAL;
	return on_session(request, info, MASK(FLAGS),
			  flags ? kt_session_reset_done : kt_session_reset);
}

/* --- SESSION_GET -------------------------------------------------------- */

static int put_figures(struct sk_buff *skb, struct kt_session *session, u32 state)
{
	struct ktrace_counters counters = { 0 };
	struct ktrace_clocks clocks[2];
	int cpu;

	for_each_possible_cpu(cpu)
		kt_session_counters(session, cpu, &counters);
	clocks[0] = session->start;
	if (state == KTRACE_STATE_STOPPED)
		clocks[1] = session->end;
	else
		kt_clocks_read(&clocks[1]);
	if (nla_put(skb, KTRACE_A_CLOCKS, sizeof(clocks), clocks) ||
	    nla_put(skb, KTRACE_A_COUNTERS, sizeof(counters), &counters) ||
	    nla_put_u64_64bit(skb, KTRACE_A_MEM, kt_mem_used(), KTRACE_A_PAD))
		return -EMSGSIZE;
	return 0;
}

static int put_session(struct sk_buff *skb, struct kt_session *session)
{
	const struct kt_session_config *config = &session->config;
	int error;
	u32 state = kt_session_get_state(session, &error);

	if (nla_put_u64_64bit(skb, KTRACE_A_SESSION, session->id, KTRACE_A_PAD) ||
	    nla_put_u64_64bit(skb, KTRACE_A_COOKIE, session->cookie, KTRACE_A_PAD) ||
	    nla_put_string(skb, KTRACE_A_NAME, config->name) ||
	    nla_put_u32(skb, KTRACE_A_STATE, state) ||
	    nla_put_s32(skb, KTRACE_A_ERROR, error) ||
	    nla_put_u32(skb, KTRACE_A_FLAGS, config->flags) ||
	    nla_put_u32(skb, KTRACE_A_NR_FUNCS, config->nr_funcs) ||
	    nla_put_u32(skb, KTRACE_A_NR_SITES, session->nr_sites) ||
	    nla_put_u32(skb, KTRACE_A_NR_FAILED, session->nr_failed) ||
	    nla_put_s32(skb, KTRACE_A_OWNER, config->owner) ||
	    nla_put_s32(skb, KTRACE_A_READER, atomic64_read(&session->reader) ?
			READ_ONCE(session->reader_pid) : 0))
		return -EMSGSIZE;
	return put_figures(skb, session, state);
}

static int cmd_get(struct sk_buff *request, struct genl_info *info)
{
	int error = check(request, info->attrs, MASK(SESSION) | MASK(NAME), 0);
	struct kt_session *session;
	struct sk_buff *skb;
	void *head;

	if (error)
		return error;
	if (!info->attrs[KTRACE_A_SESSION] == !info->attrs[KTRACE_A_NAME])
		return -EINVAL;
	session = find(info->attrs);
	if (!session)
		return -ENOENT;
	skb = new_reply(info, KTRACE_CMD_SESSION_GET, &head);
	error = -ENOMEM;
	if (skb)
		error = send_reply(info, skb, head, put_session(skb, session));
	kt_session_put(session);
	return error;
}

/* args[0]: the id last shown */
static int dump_sessions(struct sk_buff *skb, struct netlink_callback *cb)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	struct kt_session *session;
	void *head;
	int error;

	if (!cb->args[0]) {
		error = parse_dump(cb, attrs);
		if (!error)
			error = check(cb->skb, attrs, 0, 0);
		if (error)
			return error;
	}
	while ((session = kt_session_next(cb->args[0]))) {
		head = genlmsg_put(skb, NETLINK_CB(cb->skb).portid, cb->nlh->nlmsg_seq,
				   &family, NLM_F_MULTI, KTRACE_CMD_SESSION_GET);
		error = head ? put_session(skb, session) : -EMSGSIZE;
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

static int begin_dump(struct netlink_callback *cb, struct nlattr **attrs, u64 allowed,
		      u64 needed)
{
	struct kt_session *session;
	int error;

	if (cb->args[0])
		return 0;
	error = parse_dump(cb, attrs);
	if (!error)
		error = check(cb->skb, attrs, allowed, needed);
	if (error)
		return error;
	session = find(attrs);
	if (!session)
		return -ENOENT;
	cb->args[0] = (long)session;
	return 0;
}

static int end_dump(struct netlink_callback *cb)
{
	if (cb->args[0])
		kt_session_put((struct kt_session *)cb->args[0]);
	cb->args[0] = 0;
	return 0;
}

/* A reset does not change what a dump under way shows. */
static int begin_figures(struct netlink_callback *cb)
{
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	int error = begin_dump(cb, attrs, MASK(SESSION) | MASK(FLAGS), MASK(SESSION));
	u32 flags;

	if (error || cb->args[2])
		return error;
	flags = get_u32(attrs[KTRACE_A_FLAGS], 0);
	if (flags & ~KTRACE_READ_BEFORE)
		return -EINVAL;
	cb->args[2] = (long)kt_session_figures((struct kt_session *)cb->args[0], flags);
	return cb->args[2] ? 0 : -ENODATA;
}

static int end_figures(struct netlink_callback *cb)
{
	kt_figures_put((struct kt_figures *)cb->args[2]);
	cb->args[2] = 0;
	return end_dump(cb);
}

static int dump_funcs(struct sk_buff *skb, struct netlink_callback *cb)
{
	int error = begin_figures(cb);

	return error ? error : kt_stats_dump_funcs(skb, cb, &family);
}

static int dump_tree(struct sk_buff *skb, struct netlink_callback *cb)
{
	int error = begin_figures(cb);

	return error ? error : kt_stats_dump_tree(skb, cb, &family);
}

static int dump_stream(struct sk_buff *skb, struct netlink_callback *cb)
{
	u64 needed = MASK(SESSION) | MASK(CPU) | MASK(CURSOR);
	struct nlattr *attrs[KTRACE_A_MAX + 1];
	int error = begin_dump(cb, attrs, needed | MASK(FLAGS), needed);

	return error ? error : kt_stream_dump(skb, cb, &family, attrs);
}

/* --- notices ------------------------------------------------------------ */

static int cmd_subscribe(struct sk_buff *request, struct genl_info *info)
{
	int error = check(request, info->attrs, 0, 0);

	return error ? error : kt_subscriber_add(genl_info_net(info), info->snd_portid);
}

void kt_genl_notify(u64 session, u32 event, u32 cpu, int error)
{
	struct sk_buff *skb;
	void *head;

	if (!kt_subscriber_is_any())
		return;
	skb = genlmsg_new(NLMSG_DEFAULT_SIZE, GFP_KERNEL);
	if (!skb)
		return;
	head = genlmsg_put(skb, 0, 0, &family, 0, KTRACE_CMD_NOTICE);
	if (!head || nla_put_u64_64bit(skb, KTRACE_A_SESSION, session, KTRACE_A_PAD) ||
	    nla_put_u32(skb, KTRACE_A_EVENT, event) || nla_put_u32(skb, KTRACE_A_CPU, cpu) ||
	    nla_put_s32(skb, KTRACE_A_ERROR, error)) {
		nlmsg_free(skb);
		return;
	}
	genlmsg_end(skb, head);
	kt_subscriber_send(skb);
}

static int on_release(struct notifier_block *block, unsigned long event, void *data)
{
	struct netlink_notify *notify = data;

	if (event == NETLINK_URELEASE && notify->protocol == NETLINK_GENERIC) {
		kt_subscriber_remove(notify->net, notify->portid);
		kt_session_close_socket(notify->net, notify->portid);
	}
	return NOTIFY_DONE;
}

static struct notifier_block release_block = { .notifier_call = on_release };

/* --- the family --------------------------------------------------------- */

#define OP(name, ...) { KT_OP_POLICY(policy) .cmd = KTRACE_CMD_##name, __VA_ARGS__ }

static const struct genl_ops ops[] = {
	OP(INFO, .doit = cmd_info),
	OP(SESSION_NEW, .doit = cmd_new),
	OP(FUNC_ADD, .doit = cmd_add),
	OP(SESSION_COMMIT, .doit = cmd_commit),
	OP(SESSION_GET, .doit = cmd_get, .dumpit = dump_sessions),
	OP(SESSION_DEL, .doit = cmd_delete),
	OP(SESSION_STOP, .doit = cmd_stop),
	OP(SESSION_RESET, .doit = cmd_reset),
	OP(FUNC_GET, .dumpit = dump_funcs, .done = end_figures),
	OP(TREE_GET, .dumpit = dump_tree, .done = end_figures),
	OP(STREAM_READ, .dumpit = dump_stream, .done = end_dump),
	OP(SUBSCRIBE, .doit = cmd_subscribe),
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
	error = genl_register_family(&family);
	if (error)
		netlink_unregister_notifier(&release_block);
	return error;
}

void kt_genl_exit(void)
{
	genl_unregister_family(&family);
	netlink_unregister_notifier(&release_block);
	kt_subscriber_exit();
}
