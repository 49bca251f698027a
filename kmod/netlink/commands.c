// SPDX-License-Identifier: GPL-2.0
/* The commands that make, change and end sessions: what they ask for, checked. */
#include <linux/bitops.h>
#include <linux/capability.h>
#include <linux/cred.h>
#include <linux/ctype.h>
#include <linux/file.h>
#include <linux/pid.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/uidgid.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/cgroup.h"
#include "compat/mm.h"
#include "core/costs.h"
#include "core/filter.h"
#include "core/ring.h"
#include "core/shadow.h"
#include "netlink/commands.h"
#include "netlink/genl.h"
#include "provider.h"
#include "session.h"
#include "uprobe/batch.h"
#include "uprobe/hold.h"

/* --- attributes ----------------------------------------------------------- */

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

static int get_pid_of(s32 nr, bool is_tgid, struct pid **found)
{
	struct pid *pid = find_get_pid(nr);
	struct task_struct *task = get_pid_task(pid, PIDTYPE_PID);

	put_pid(pid);
	if (!task)
		return -ESRCH;
	rcu_read_lock();
	*found = get_pid(is_tgid ? task_tgid(task) : task_pid(task));
	rcu_read_unlock();
	put_task_struct(task);
	return *found ? 0 : -ESRCH;
}

/* How many 32-bit numbers an attribute holds; negative: it is none of that. */
static int nr_numbers(const struct nlattr *attr)
{
	if (!attr)
		return 0;
	if (nla_len(attr) % sizeof(u32) || nla_len(attr) > KTRACE_MAX_PIDS * sizeof(u32))
		return -EINVAL;
	return nla_len(attr) / sizeof(u32);
}

static void put_pids(struct pid **pids, u32 nr)
{
	while (nr)
		put_pid(pids[--nr]);
}

/* Fills pids, which has room for what an attribute may hold. */
static int fill_pids(const struct nlattr *attr, bool is_tgid, struct pid **pids, u32 *nr)
{
	const s32 *numbers = attr ? nla_data(attr) : NULL;
	int nr_given = nr_numbers(attr), error = min(nr_given, 0);

	for (*nr = 0; !error && (int)*nr < nr_given; ++*nr) {
		error = get_pid_of(numbers[*nr], is_tgid, &pids[*nr]);
		if (error)
			break;
	}
	if (error)
		put_pids(pids, *nr);
	if (error)
		*nr = 0;
	return error;
}

static int get_tgids(const struct nlattr *attr, struct pid ***pids, u32 *nr)
{
	int nr_given = nr_numbers(attr);

	if (!attr)
		return 0;
	if (nr_given <= 0)
		return -EINVAL;
	*pids = kcalloc(nr_given, sizeof(**pids), GFP_KERNEL);
	return *pids ? fill_pids(attr, true, *pids, nr) : -ENOMEM;
}

#define CONDITIONS (MASK(TIDS) | MASK(UIDS) | MASK(COMM) | MASK(CGROUP))

static u32 conditions_given(struct nlattr **a)
{
	return (a[KTRACE_A_TIDS] ? KT_GIVEN_TIDS : 0) | (a[KTRACE_A_UIDS] ? KT_GIVEN_UIDS : 0) |
	       (a[KTRACE_A_COMM] ? KT_GIVEN_COMM : 0) |
	       (a[KTRACE_A_CGROUP] ? KT_GIVEN_CGROUP : 0);
}

static int get_uids(const struct nlattr *attr, struct kt_conditions *c)
{
	int nr = nr_numbers(attr), i;
	const u32 *uids = nla_data(attr);

	if (nr < 0)
		return nr;
	for (i = 0; i < nr; i++) {
		c->uids[i] = make_kuid(current_user_ns(), uids[i]);
		if (!uid_valid(c->uids[i]))
			return -EINVAL;
	}
	c->nr_uids = nr;
	return 0;
}

static int get_cgroup(struct nlattr *attr, struct kt_conditions *c)
{
	c->cgroup = nla_get_u64(attr);
	return c->cgroup && !KT_KNOWS_CGROUPS ? -EOPNOTSUPP : 0;
}

static int fill_conditions(struct nlattr **a, struct kt_conditions *c)
{
	int error = fill_pids(a[KTRACE_A_TIDS], false, c->tids, &c->nr_tids);

	if (!error && a[KTRACE_A_UIDS])
		error = get_uids(a[KTRACE_A_UIDS], c);
	if (!error && a[KTRACE_A_COMM])
		strscpy(c->comm, nla_data(a[KTRACE_A_COMM]), sizeof(c->comm));
	if (!error && a[KTRACE_A_CGROUP])
		error = get_cgroup(a[KTRACE_A_CGROUP], c);
	return error;
}

/* None are given: NULL. To be freed in any case. */
static int get_conditions(struct nlattr **a, struct kt_conditions **conditions)
{
	if (!conditions_given(a))
		return 0;
	*conditions = kt_conditions_create();
	return *conditions ? fill_conditions(a, *conditions) : -ENOMEM;
}

/* --- SESSION_NEW ---------------------------------------------------------- */

static int get_devs(const struct nlattr *attr, struct kt_session_config *config)
{
	int nr = nr_numbers(attr);

	if (!attr)
		return 0;
	if (nr <= 0 || nr > KTRACE_BLOCK_DEVS || !config->provider->has_devs)
		return -EINVAL;
	config->devs = kmemdup(nla_data(attr), nla_len(attr), GFP_KERNEL);
	config->nr_devs = nr;
	return config->devs ? 0 : -ENOMEM;
}

/* Of a file that the page cache has, or a folder, where a disk is below. */
static int open_chosen(u32 fd, struct file **file)
{
	const struct inode *inode;
	int error = 0;

	*file = fget(fd);
	if (!*file)
		return -EBADF;
	inode = kt_file_inode(*file);
	if (!((*file)->f_mode & FMODE_READ) || !(S_ISREG(inode->i_mode) || S_ISDIR(inode->i_mode)))
		error = -EINVAL;
	else if (!inode->i_sb->s_bdev)
		error = -ENODEV;
	if (error)
		fput(*file);
	return error;
}

static int get_files(const struct nlattr *attr, struct kt_session_config *config)
{
	int nr = nr_numbers(attr), error = 0;
	const u32 *fds;

	if (!attr)
		return 0;
	if (nr <= 0 || nr > KTRACE_BLOCK_FILES || !config->provider->has_files)
		return -EINVAL;
	config->files = kcalloc(nr, sizeof(*config->files), GFP_KERNEL);
	if (!config->files)
		return -ENOMEM;
	fds = nla_data(attr);
	while (!error && config->nr_files < (u32)nr) {
		error = open_chosen(fds[config->nr_files], &config->files[config->nr_files]);
		config->nr_files += !error;
	}
	return error;
}

static bool is_count_good(const struct kt_session_config *config, struct nlattr **a)
{
	u32 others = KTRACE_F_FOLLOW | KTRACE_F_ON_EXEC | config->provider->flag;

	return (config->flags & ~others) == KTRACE_F_COUNT && !a[KTRACE_A_MIN_TIME] &&
	       !a[KTRACE_A_MAX_DEPTH];
}

/* Some tasks and no others, which not everybody can tell apart. */
static bool is_choice_good(const struct kt_provider *provider, struct nlattr **a)
{
	return !provider->has_no_task ||
	       !(a[KTRACE_A_PIDS] || a[KTRACE_A_NOT_PIDS] || conditions_given(a));
}

static bool is_errors_good(const struct kt_session_config *config, struct nlattr **a)
{
	return (config->flags & (KTRACE_F_TREE | KTRACE_F_BY | KTRACE_F_STACKS)) == KTRACE_F_TREE &&
	       !a[KTRACE_A_MIN_TIME] && !a[KTRACE_A_MAX_DEPTH] &&
	       config->nr_funcs <= KTRACE_ERROR_FUNCS;
}

/* Is what is asked for what the provider has? */
static bool are_flags_good(const struct kt_session_config *config, struct nlattr **a)
{
	const struct kt_provider *provider = config->provider;
	u32 flags = config->flags;

	if (!provider || (flags & ~(provider->flag | provider->flags)) ||
	    !a[KTRACE_A_FD] == provider->has_file || !a[KTRACE_A_NR_FUNCS] != !!provider->nr_funcs)
		return false;
	if (!is_choice_good(provider, a))
		return false;
	if ((flags & KTRACE_F_COUNT) && !is_count_good(config, a))
		return false;
	if ((flags & KTRACE_F_ERRORS) && !is_errors_good(config, a))
		return false;
	if (((flags & KTRACE_F_ON_EXEC) || provider->needs_pids) && !a[KTRACE_A_PIDS])
		return false;
	if (hweight32(flags & KTRACE_F_BY) > !!(flags & KTRACE_F_TREE))
		return false;
	if ((flags & KTRACE_F_STACKS) && !(flags & provider->frames_with))
		return false;
	if ((flags & KTRACE_F_PAGES) && !(flags & (KTRACE_F_HIST | KTRACE_F_BY_TID)))
		return false;
	if (provider->are_flags_good && !provider->are_flags_good(flags))
		return false;
	return (!a[KTRACE_A_MAX_DEPTH] || (flags & provider->max_depth_with)) &&
	       (!a[KTRACE_A_MIN_TIME] || (flags & provider->min_time_with));
}

/* What a call costs must be known. */
static bool is_budget_good(const struct kt_session_config *config)
{
	struct ktrace_costs costs;

	kt_costs_get(&costs);
	return config->budget && config->budget <= KTRACE_MAX_BUDGET && costs.entry &&
	       config->provider->has_budget && (config->flags & KTRACE_F_HIST);
}

static int get_numbers(struct genl_info *info, struct kt_session_config *config)
{
	struct nlattr **a = info->attrs;

	config->flags = nla_get_u32(a[KTRACE_A_FLAGS]);
	config->provider = kt_provider_of(config->flags);
	config->nr_funcs = kt_genl_u32(a[KTRACE_A_NR_FUNCS],
				       config->provider ? config->provider->nr_funcs : 0);
	config->min_time = a[KTRACE_A_MIN_TIME] ? nla_get_u64(a[KTRACE_A_MIN_TIME]) : 0;
	config->lifetime = a[KTRACE_A_LIFETIME] ? nla_get_u64(a[KTRACE_A_LIFETIME]) : 0;
	config->budget = kt_genl_u32(a[KTRACE_A_BUDGET], 0);
	config->max_depth = min_t(u32, kt_genl_u32(a[KTRACE_A_MAX_DEPTH], KT_MAX_FRAMES),
				  KT_MAX_FRAMES);
	config->max_nodes = kt_genl_u32(a[KTRACE_A_MAX_NODES], 65536);
	config->nr_subbufs = kt_genl_u32(a[KTRACE_A_NR_SUBBUFS], 64);
	config->net = genl_info_net(info);
	config->portid = info->snd_portid;
	config->owner = task_tgid_nr(current);
	if (!are_flags_good(config, a) || !config->lifetime != !a[KTRACE_A_LIFETIME] ||
	    (a[KTRACE_A_BUDGET] && !is_budget_good(config)) ||
	    !config->max_depth || !config->max_nodes ||
	    !is_power_of_2(config->nr_subbufs) || config->nr_subbufs < KT_RING_MIN_SUBBUFS)
		return -EINVAL;
	if ((config->flags & KTRACE_F_BY_CGROUP) && !KT_KNOWS_CGROUPS)
		return -EOPNOTSUPP;
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
	error = get_tgids(a[KTRACE_A_PIDS], &config->pids, &config->nr_pids);
	if (!error)
		error = get_conditions(a, &config->conditions);
	if (!error)
		error = get_devs(a[KTRACE_A_DEVS], config);
	if (!error)
		error = get_files(a[KTRACE_A_FILES], config);
	if (!error && a[KTRACE_A_FD])
		error = open_file(a[KTRACE_A_FD], &config->file);
	return error;
}

static int put_new(struct sk_buff *skb, const struct kt_session *session)
{
	if (nla_put_u64_64bit(skb, KTRACE_A_SESSION, session->id, KTRACE_A_PAD) ||
	    nla_put_u64_64bit(skb, KTRACE_A_COOKIE, session->cookie, KTRACE_A_PAD))
		return -EMSGSIZE;
	return 0;
}

/* The answer's memory is there before the session, which takes what config holds. */
static int make_session(struct genl_info *info, struct kt_session_config *config)
{
	struct kt_session *session;
	struct sk_buff *skb;
	void *head;
	int error;

	skb = kt_genl_reply(info, KTRACE_CMD_SESSION_NEW, &head);
	if (!skb)
		return -ENOMEM;
	session = kt_session_create(config);
	if (IS_ERR(session)) {
		nlmsg_free(skb);
		return PTR_ERR(session);
	}
	memset(config, 0, sizeof(*config));
	error = kt_genl_send(info, skb, head, put_new(skb, session));
	/* Whoever was not told its number could not end it. */
	if (error)
		kt_session_delete(session);
	kt_session_put(session);
	return error;
}

int kt_cmd_new(struct sk_buff *request, struct genl_info *info)
{
	u64 needed = MASK(FLAGS);
	struct kt_session_config config = { .flags = 0 };
	int error;

	error = kt_genl_check(request, info->attrs, needed | CONDITIONS | MASK(NR_FUNCS) |
			      MASK(FD) | MASK(NAME) | MASK(PIDS) | MASK(MIN_TIME) |
			      MASK(MAX_DEPTH) | MASK(MAX_NODES) | MASK(NR_SUBBUFS) |
			      MASK(DEVS) | MASK(FILES) | MASK(LIFETIME) | MASK(BUDGET), needed);
	if (error)
		return error;
	error = get_config(info, &config);
	if (!error)
		error = make_session(info, &config);
	kt_session_put_config(&config);
	return error;
}

int kt_cmd_costs(struct sk_buff *request, struct genl_info *info)
{
	int error = kt_genl_check(request, info->attrs, MASK(COSTS), MASK(COSTS));

	if (error)
		return error;
	if (nla_len(info->attrs[KTRACE_A_COSTS]) != sizeof(struct ktrace_costs))
		return -EINVAL;
	return kt_costs_set(nla_data(info->attrs[KTRACE_A_COSTS]));
}

/* --- FUNC_ADD, FUNC_DEL --------------------------------------------------- */

static int fill_batch(struct nlattr **a, struct kt_batch *batch)
{
	if (a[KTRACE_A_BUILD_ID]) {
		batch->build_id_len = nla_len(a[KTRACE_A_BUILD_ID]);
		memcpy(batch->build_id, nla_data(a[KTRACE_A_BUILD_ID]), batch->build_id_len);
	}
	return a[KTRACE_A_CALLER_FD] ? open_file(a[KTRACE_A_CALLER_FD], &batch->caller) : 0;
}

static int add_funcs(struct kt_session *session, struct genl_info *info)
{
	struct nlattr *funcs = info->attrs[KTRACE_A_FUNCS];
	struct kt_edit edit = { .socket = kt_genl_socket(info) };
	struct file *file;
	int error;

	if (!session->config.provider->has_file)
		return -EINVAL;
	error = kt_batch_check(&session->config, nla_data(funcs), nla_len(funcs));
	if (error)
		return error;
	error = open_file(info->attrs[KTRACE_A_FD], &file);
	if (error)
		return error;
	edit.batch = kt_batch_create(file, nla_data(funcs), nla_len(funcs));
	fput(file);
	if (!edit.batch)
		return -ENOMEM;
	error = fill_batch(info->attrs, edit.batch);
	if (!error)
		error = kt_session_edit(session, &edit);
	if (error)
		kt_batch_put(edit.batch);
	return error;
}

static int delete_funcs(struct kt_session *session, struct genl_info *info)
{
	struct nlattr *list = info->attrs[KTRACE_A_FUNC_LIST];
	u32 flags = kt_genl_u32(info->attrs[KTRACE_A_FLAGS], 0);
	struct kt_edit edit = {
		.socket = kt_genl_socket(info),
		.list = nla_data(list),
		.nr_listed = nla_len(list) / sizeof(u32),
		.is_back = flags & KTRACE_DEL_UNDO,
	};

	if ((flags & ~KTRACE_DEL_UNDO) || nla_len(list) % sizeof(u32))
		return -EINVAL;
	return kt_session_edit(session, &edit);
}

typedef int (*session_fn)(struct kt_session *session, struct genl_info *info);

static int on_session(struct sk_buff *request, struct genl_info *info, u64 allowed, u64 needed,
		      session_fn fn)
{
	struct kt_session *session;
	int error = kt_genl_get(request, info, allowed, needed, &session);

	if (error)
		return error;
	error = fn(session, info);
	kt_session_put(session);
	return error;
}

static int add_symbols(struct kt_session *session, struct genl_info *info)
{
	const struct nlattr *symbols = info->attrs[KTRACE_A_SYMBOLS];
	const struct kt_provider *provider = session->config.provider;

	return provider->add ? provider->add(session, nla_data(symbols), nla_len(symbols)) :
	       -EINVAL;
}

int kt_cmd_func_add(struct sk_buff *request, struct genl_info *info)
{
	if (info->attrs[KTRACE_A_SYMBOLS])
		return on_session(request, info, 0, MASK(SYMBOLS), add_symbols);
	return on_session(request, info, MASK(BUILD_ID) | MASK(CALLER_FD),
			  MASK(FD) | MASK(FUNCS), add_funcs);
}

int kt_cmd_func_del(struct sk_buff *request, struct genl_info *info)
{
	return on_session(request, info, MASK(FLAGS), MASK(FUNC_LIST), delete_funcs);
}

/* --- SESSION_CHANGE ------------------------------------------------------- */

static int get_change(struct nlattr **a, struct kt_session_change *change)
{
	int error = get_tgids(a[KTRACE_A_PIDS], &change->pids, &change->nr_pids);

	if (!error)
		error = get_tgids(a[KTRACE_A_NOT_PIDS], &change->not_pids, &change->nr_not_pids);
	if (a[KTRACE_A_MIN_TIME])
		change->min_time = nla_data(a[KTRACE_A_MIN_TIME]);
	change->max_depth = min_t(u32, kt_genl_u32(a[KTRACE_A_MAX_DEPTH], 0), KT_MAX_FRAMES);
	if (!error && a[KTRACE_A_MAX_DEPTH] && !change->max_depth)
		error = -EINVAL;
	return error;
}

typedef int (*change_fn)(struct kt_session *session, u64 socket,
			 const struct kt_session_change *change);

static int do_change(struct kt_session *session, struct genl_info *info, change_fn fn)
{
	struct kt_session_change change = { .conditions_given = conditions_given(info->attrs) };
	struct kt_conditions *conditions = NULL;
	int error = get_change(info->attrs, &change);

	if (!is_choice_good(session->config.provider, info->attrs))
		error = error ?: -EINVAL;
	if (!error)
		error = get_conditions(info->attrs, &conditions);
	change.conditions = conditions;
	if (!error)
		error = fn(session, kt_genl_socket(info), &change);
	put_pids(change.pids, change.nr_pids);
	put_pids(change.not_pids, change.nr_not_pids);
	kfree(change.pids);
	kfree(change.not_pids);
	kt_conditions_free(conditions);
	return error;
}

#define CHANGES (MASK(PIDS) | MASK(NOT_PIDS) | MASK(MIN_TIME) | MASK(MAX_DEPTH) | CONDITIONS)

static int change_session(struct kt_session *session, struct genl_info *info)
{
	return do_change(session, info, kt_session_change);
}

int kt_cmd_change(struct sk_buff *request, struct genl_info *info)
{
	return on_session(request, info, CHANGES, 0, change_session);
}

static int commit_session(struct kt_session *session, struct genl_info *info)
{
	return do_change(session, info, kt_session_commit);
}

int kt_cmd_commit(struct sk_buff *request, struct genl_info *info)
{
	return on_session(request, info, CHANGES, 0, commit_session);
}

/* --- the life of a session ------------------------------------------------ */

#define SIMPLE(name)								\
static int name##_session(struct kt_session *session, struct genl_info *info)	\
{										\
	return kt_session_##name(session);					\
}										\
int kt_cmd_##name(struct sk_buff *request, struct genl_info *info)		\
{										\
	return on_session(request, info, 0, 0, name##_session);			\
}

SIMPLE(pause)
SIMPLE(resume)
SIMPLE(stop)
SIMPLE(delete)

static int reset_session(struct kt_session *session, struct genl_info *info)
{
	u32 flags = kt_genl_u32(info->attrs[KTRACE_A_FLAGS], 0);

	if (flags & ~KTRACE_RESET_DONE)
		return -EINVAL;
	return flags ? kt_session_reset_done(session) : kt_session_reset(session);
}

int kt_cmd_reset(struct sk_buff *request, struct genl_info *info)
{
	return on_session(request, info, MASK(FLAGS), 0, reset_session);
}

/* --- held tasks ----------------------------------------------------------- */

static int watch_session(struct kt_session *session, struct genl_info *info)
{
	return kt_hold_watch(&session->hold, kt_genl_socket(info));
}

int kt_cmd_watch(struct sk_buff *request, struct genl_info *info)
{
	return on_session(request, info, 0, 0, watch_session);
}

static int continue_task(struct kt_session *session, struct genl_info *info)
{
	struct pid *tgid;
	int error = get_pid_of(nla_get_s32(info->attrs[KTRACE_A_PID]), true, &tgid);

	if (error)
		return error;
	error = kt_hold_release(&session->hold, tgid);
	put_pid(tgid);
	return error;
}

int kt_cmd_continue(struct sk_buff *request, struct genl_info *info)
{
	return on_session(request, info, 0, MASK(PID), continue_task);
}
