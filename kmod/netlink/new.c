// SPDX-License-Identifier: GPL-2.0
/* SESSION_NEW: what it asks for, checked; then the session is made. */
#include <linux/bitops.h>
#include <linux/ctype.h>
#include <linux/err.h>
#include <linux/file.h>
#include <linux/log2.h>
#include <linux/sched.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/cgroup.h"
#include "compat/mm.h"
#include "core/costs.h"
#include "core/ring.h"
#include "core/shadow.h"
#include "netlink/attrs.h"
#include "netlink/commands.h"
#include "netlink/genl.h"
#include "netlink/new_table.h"
#include "provider.h"
#include "session.h"
#include "session/sessions.h"

static bool new_is_name_good(const char *name)
{
	for (; *name; name++)
		if (!isalnum(*name) && !strchr("._-", *name))
			return false;
	return true;
}

static int new_get_devs(const struct nlattr *attr, struct kt_session_config *config)
{
	int nr = kt_attrs_nr_numbers(attr);

	if (!attr)
		return 0;
	if (nr <= 0 || nr > KTRACE_BLOCK_DEVS || !config->provider->has_devs)
		return -EINVAL;
	config->devs = kmemdup(nla_data(attr), nla_len(attr), GFP_KERNEL);
	config->nr_devs = nr;
	return config->devs ? 0 : -ENOMEM;
}

/* Of a file that the page cache has, or a folder, where a disk is below. */
static int new_open_chosen(u32 fd, struct file **file)
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

static int new_get_files(const struct nlattr *attr, struct kt_session_config *config)
{
	int nr = kt_attrs_nr_numbers(attr), error = 0;
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
		error = new_open_chosen(fds[config->nr_files], &config->files[config->nr_files]);
		config->nr_files += !error;
	}
	return error;
}

static bool new_is_count_good(const struct kt_session_config *config, struct nlattr **a)
{
	u32 others = KTRACE_F_FOLLOW | KTRACE_F_ON_EXEC | config->provider->flag;

	return (config->flags & ~others) == KTRACE_F_COUNT && !a[KTRACE_A_MIN_TIME] &&
	       !a[KTRACE_A_MAX_DEPTH];
}

static bool new_is_errors_good(const struct kt_session_config *config, struct nlattr **a)
{
	return (config->flags & (KTRACE_F_TREE | KTRACE_F_BY | KTRACE_F_STACKS)) == KTRACE_F_TREE &&
	       !a[KTRACE_A_MIN_TIME] && !a[KTRACE_A_MAX_DEPTH] &&
	       config->nr_funcs <= KTRACE_ERROR_FUNCS;
}

/* Is what is asked for what the provider has? */
static bool new_are_flags_good(const struct kt_session_config *config, struct nlattr **a)
{
	const struct kt_provider *provider = config->provider;
	u32 flags = config->flags;

	if (!provider || (flags & ~(provider->flag | provider->flags)) ||
	    !a[KTRACE_A_FD] == provider->has_file || !a[KTRACE_A_NR_FUNCS] != !!provider->nr_funcs)
		return false;
	if (!kt_attrs_is_choice_good(provider, a))
		return false;
	if ((flags & KTRACE_F_COUNT) && !new_is_count_good(config, a))
		return false;
	if ((flags & KTRACE_F_ERRORS) && !new_is_errors_good(config, a))
		return false;
	if (((flags & KTRACE_F_ON_EXEC) || provider->needs_pids) && !a[KTRACE_A_PIDS])
		return false;
	if (hweight32(flags & KTRACE_F_BY) > !!(flags & KTRACE_F_TREE))
		return false;
	if ((flags & KTRACE_F_STACKS) && !(flags & provider->frames_with))
		return false;
	if ((flags & KTRACE_F_PAGES) && !(flags & (KTRACE_F_HIST | KTRACE_F_TABLE)))
		return false;
	if (provider->are_flags_good && !provider->are_flags_good(flags))
		return false;
	return (!a[KTRACE_A_MAX_DEPTH] || (flags & provider->max_depth_with)) &&
	       (!a[KTRACE_A_MIN_TIME] || (flags & provider->min_time_with));
}

/* What a call costs must be known. */
static bool new_is_budget_good(const struct kt_session_config *config)
{
	struct ktrace_costs costs;

	kt_costs_get(&costs);
	return config->budget && config->budget <= KTRACE_MAX_BUDGET && costs.entry &&
	       config->provider->has_budget && (config->flags & KTRACE_F_HIST);
}

static int new_get_numbers(struct genl_info *info, struct kt_session_config *config)
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
	config->socket = kt_genl_socket(info);
	config->owner = task_tgid_nr(current);
	if (!new_are_flags_good(config, a) || !config->lifetime != !a[KTRACE_A_LIFETIME] ||
	    (a[KTRACE_A_BUDGET] && !new_is_budget_good(config)) ||
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

static int new_get_config(struct genl_info *info, struct kt_session_config *config)
{
	struct nlattr **a = info->attrs;
	int error = new_get_numbers(info, config);

	if (error)
		return error;
	if (a[KTRACE_A_NAME]) {
		strscpy(config->name, nla_data(a[KTRACE_A_NAME]), sizeof(config->name));
		if (!config->name[0] || !new_is_name_good(config->name))
			return -EINVAL;
	}
	error = kt_new_table_get(info, config);
	if (error)
		return error;
	error = kt_attrs_get_tgids(a[KTRACE_A_PIDS], &config->pids, &config->nr_pids);
	if (!error)
		error = kt_attrs_get_conditions(a, &config->conditions);
	if (!error)
		error = new_get_devs(a[KTRACE_A_DEVS], config);
	if (!error)
		error = new_get_files(a[KTRACE_A_FILES], config);
	if (!error && a[KTRACE_A_FD])
		error = kt_attrs_open(a[KTRACE_A_FD], &config->file);
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
static int new_make_session(struct genl_info *info, struct kt_session_config *config)
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

	error = kt_genl_check(request, info->attrs, needed | KT_ATTRS_CONDITIONS | MASK(NR_FUNCS) |
			      MASK(FD) | MASK(NAME) | MASK(PIDS) | MASK(MIN_TIME) |
			      MASK(MAX_DEPTH) | MASK(MAX_NODES) | MASK(NR_SUBBUFS) |
			      MASK(DEVS) | MASK(FILES) | MASK(LIFETIME) | MASK(BUDGET) |
			      MASK(TABLE), needed);
	if (error)
		return error;
	error = new_get_config(info, &config);
	if (!error)
		error = new_make_session(info, &config);
	kt_session_put_config(&config);
	return error;
}
