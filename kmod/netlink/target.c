// SPDX-License-Identifier: GPL-2.0
/* TARGET: the program, functions, devices and files that a session traces. */
#include <linux/file.h>
#include <linux/fs.h>
#include <linux/slab.h>
#include <linux/string.h>
#include <net/genetlink.h>

#include <uapi/ktrace.h>

#include "compat/genl.h"
#include "compat/mm.h"
#include "core/provider.h"
#include "core/session.h"
#include "netlink/attrs.h"
#include "netlink/nest.h"
#include "netlink/target.h"

#define MAX_FUNCS (1U << 22)

static const struct nla_policy policy[KTRACE_TARGET_MAX + 1] = {
	[KTRACE_TARGET_FD] = { .type = NLA_U32 },
	[KTRACE_TARGET_NR_FUNCS] = { .type = NLA_U32 },
	[KTRACE_TARGET_DEVS] = { .type = NLA_BINARY, .len = KTRACE_BLOCK_DEVS * sizeof(u32) },
	[KTRACE_TARGET_FILES] = { .type = NLA_BINARY, .len = KTRACE_BLOCK_FILES * sizeof(u32) },
};

static const struct kt_nest nest = { policy, KTRACE_TARGET_MAX };

#define ANY ((1U << (KTRACE_TARGET_MAX + 1)) - 2)

static int target_get_devs(const struct nlattr *attr, struct kt_session_config *config)
{
	int nr = kt_attrs_nr_numbers(attr);

	if (!attr)
		return 0;
	if (nr <= 0)
		return -EINVAL;
	config->devs = kmemdup(nla_data(attr), nla_len(attr), GFP_KERNEL);
	config->nr_devs = nr;
	return config->devs ? 0 : -ENOMEM;
}

/*
 * Gets a regular file or a folder that is open for reading, with a reference. Returns -EBADF,
 * -EINVAL, or -ENODEV if its file system is on no block device.
 */
static int target_open_chosen(u32 fd, struct file **file)
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

static int target_get_files(const struct nlattr *attr, struct kt_session_config *config)
{
	int nr = kt_attrs_nr_numbers(attr), error = 0;
	const u32 *fds;

	if (!attr)
		return 0;
	if (nr <= 0)
		return -EINVAL;
	config->files = kcalloc(nr, sizeof(*config->files), GFP_KERNEL);
	if (!config->files)
		return -ENOMEM;
	fds = nla_data(attr);
	while (!error && config->nr_files < (u32)nr) {
		error = target_open_chosen(fds[config->nr_files], &config->files[config->nr_files]);
		config->nr_files += !error;
	}
	return error;
}

static int target_check(const struct genl_info *info, const struct kt_provider *provider,
			const struct nlattr **a)
{
	struct netlink_ext_ack *extack = kt_info_extack(info);

	if (!a[KTRACE_TARGET_FD] == provider->has_file)
		return kt_refuse(extack, -EINVAL,
				 "TARGET has an FD with user functions, and with nothing else.");
	if (!a[KTRACE_TARGET_NR_FUNCS] != !!provider->nr_funcs)
		return kt_refuse(extack, -EINVAL,
				 "TARGET has NR_FUNCS with functions, and with nothing else.");
	if (a[KTRACE_TARGET_DEVS] && !provider->has_devs)
		return kt_refuse(extack, -EINVAL, "The provider does not take DEVS.");
	if (a[KTRACE_TARGET_FILES] && !provider->has_files)
		return kt_refuse(extack, -EINVAL, "The provider does not take FILES.");
	return 0;
}

int kt_target_get(const struct genl_info *info, struct kt_session_config *config)
{
	const struct kt_provider *provider = config->provider;
	const struct nlattr *a[KT_NEST_ATTRS];
	int error;

	BUILD_BUG_ON(KTRACE_TARGET_MAX >= KT_NEST_ATTRS);
	error = kt_nest_parse(info->attrs[KTRACE_A_TARGET], &nest, ANY, a, kt_info_extack(info));
	if (!error)
		error = target_check(info, provider, a);
	if (error)
		return error;
	config->nr_funcs = kt_attrs_u32(a[KTRACE_TARGET_NR_FUNCS], provider->nr_funcs);
	if (config->nr_funcs > MAX_FUNCS)
		return kt_refuse(kt_info_extack(info), -E2BIG, "NR_FUNCS is 4194304 at most.");
	error = target_get_devs(a[KTRACE_TARGET_DEVS], config);
	if (!error)
		error = target_get_files(a[KTRACE_TARGET_FILES], config);
	if (!error && a[KTRACE_TARGET_FD])
		error = kt_attrs_open(a[KTRACE_TARGET_FD], &config->file);
	return error;
}
